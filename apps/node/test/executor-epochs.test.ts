/** Epochs across the executor's thread: seals and records out, ends in, and what a restart finds. */
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EPOCH_BLOCKS_MIN, type EpochSeal } from '@slipstream/execution';
import { DATA } from '@slipstream/node-home';
import { silentTelemetry } from '@slipstream/ports';
import { concatBytes, type PeerKey, sha256, toHex } from '@slipstream/primitives';
import {
  type Action,
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type ChunkId,
  chunkBodyCodec,
  type EpochEnd,
  epoch,
  GENESIS_EPOCH,
  genesisBlock,
  height,
  NO_UNITS,
  payloadRootOf,
  type RecordHash,
  recordHashOf,
  recordOfGenesis,
  type StateDigest,
  signedChunkCodec,
  validatorIdOf,
  view,
} from '@slipstream/types';
import { afterEach, expect, it } from 'vitest';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { type Executor, openExecutor } from '../src/executor/executor.ts';
import type { SuppliedChunk } from '../src/executor/wire.ts';

const { GENESIS_HASH, NOW_MS } = arrange;
const genesis = { ...arrange.genesis({ 1: 5n }), timestampMs: NOW_MS };
const ROOT = genesisBlock(GENESIS_HASH, NOW_MS);
const CHUNK = asId<ChunkId>(sha256(new Uint8Array([1])));
const SIGNED = { signers: [0, 1, 2], aggregate: new Uint8Array(96).fill(1) };

/** Rotates the first member's keys, by its operator. */
function rotation(): SuppliedChunk {
  const member = genesis.members[0] as (typeof genesis.members)[number];
  const keys = { blsPublicKey: new Uint8Array(48).fill(77), peerKey: toHex(new Uint8Array(32).fill(78)) as PeerKey };
  const actions: readonly Action[] = [
    {
      kind: 'rotateKeys',
      ...keys,
      validatorId: validatorIdOf(member.blsPublicKey),
      address: member.address,
      feeAccount: member.feeAccount,
      consent: new Uint8Array(96),
    },
    { kind: 'ready', ...keys, epoch: 0, version: 1, signature: new Uint8Array(96) },
  ];
  const { bytes, id } = arrange.transaction({ from: 1000, actions });
  const body = chunkBodyCodec.encode({ transactions: [bytes], batches: [] });
  const header = {
    epoch: GENESIS_EPOCH,
    producer: 0,
    sequence: 0,
    createdMs: 0,
    expiryMs: 0,
    bodyHash: new Uint8Array(32),
    bodyBytes: body.length,
    transactionCount: 1,
    batchCount: 0,
    rowCount: 0,
    units: NO_UNITS,
    acksWanted: false,
  };
  const signed = signedChunkCodec.encode({ header, body, signature: new Uint8Array(192) });
  return { bytes: signed, verdicts: new Uint8Array([0]), ids: concatBytes(id), batches: new Uint8Array(0) };
}

interface Opened extends Executor {
  readonly seals: EpochSeal[];
  /** What was reported, in order. */
  readonly reports: string[];
}

const undo: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (let last = undo.pop(); last; last = undo.pop()) await last();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-epochs-'));
  undo.push(() => rm(folder, { recursive: true }));
  return folder;
}

async function open(folder: string): Promise<Opened> {
  const executor = await openExecutor(
    { telemetry: silentTelemetry, payloadOf: async () => [rotation()], fail: (error) => expect.fail(String(error)) },
    {
      folder,
      genesis,
      genesisHash: GENESIS_HASH,
      ledgerIsChecked: false,
      mode: 'parallel',
      tracedOneIn: 0,
      profilesTurns: false,
      snapshots: undefined,
      divergeAt: undefined,
      retention: { archive: true, blocks: 0 },
    },
  );
  undo.push(() => executor.stop());
  const [seals, reports]: [EpochSeal[], string[]] = [[], []];
  executor.onSealed((seal) => {
    seals.push(seal);
    reports.push(`sealed ${seal.height}`);
  });
  executor.onCommitted(({ block }) => reports.push(`committed ${block.height}`));
  executor.start();
  return { ...executor, seals, reports };
}

interface Made {
  readonly blockId: BlockId;
  readonly block: Block;
}

function childOf(parent: Made, chunks: readonly ChunkId[] = [], next?: RecordHash): Made {
  const { block: above } = parent;
  const payload = chunks.map((chunkId) => ({ chunkId, certificate: undefined }));
  const block: Block = {
    ...above,
    epoch: above.next === undefined ? above.epoch : epoch(above.epoch + 1),
    view: view(above.view + 1),
    height: height(above.height + 1),
    parentId: parent.blockId,
    parentView: above.view,
    timestampMs: above.timestampMs + 10,
    payload,
    payloadRoot: payloadRootOf(payload),
    next,
  };
  return { block, blockId: blockIdOf(block) };
}

const finalizationOf = ({ block, blockId }: Made) => ({
  subject: { kind: 'finalize' as const, epoch: block.epoch, view: block.view, blockId },
  ...SIGNED,
});

async function settle(executor: Executor, made: Made): Promise<void> {
  const { block, blockId } = made;
  const digesting = executor.execute(blockId, block);
  executor.finalized(blockId, block, finalizationOf(made));
  const stateDigest: StateDigest = await digesting;
  const { epoch: of, view: at, height: high } = block;
  executor.certified({
    subject: { kind: 'certify', epoch: of, view: at, height: high, blockId, stateDigest },
    ...SIGNED,
  });
}

async function settleAll(executor: Opened, chain: readonly Made[]): Promise<void> {
  for (const made of chain) await settle(executor, made);
  const last = (chain.at(-1) as Made).block.height;
  await expect.poll(() => executor.status().committedHeight, { timeout: 20_000 }).toBe(last);
}

/** Up to the sealing block. */
function sealingChain(): readonly Made[] {
  const chain = [childOf({ block: ROOT, blockId: blockIdOf(ROOT) }, [CHUNK])];
  while (chain.length < EPOCH_BLOCKS_MIN) chain.push(childOf(chain.at(-1) as Made));
  return chain;
}

const endOf = (boundary: Made): EpochEnd => ({ ...boundary, fillers: [], certificate: finalizationOf(boundary) });
const epochsOf = (executor: Executor) => executor.records().map((record) => record.epoch);

it('reports the seal before the boundary commits, and enters the next epoch with the boundary', async () => {
  const executor = await open(await newFolder());
  expect(executor.records()).toEqual([recordOfGenesis(genesis)]);
  const chain = sealingChain();
  await settleAll(executor, chain);
  const [seal] = executor.seals as [EpochSeal];
  expect(seal.height).toBe(EPOCH_BLOCKS_MIN);
  expect(seal.record.members[0]?.blsPublicKey).toEqual(new Uint8Array(48).fill(77));
  expect(seal.recordHash).toEqual(recordHashOf(GENESIS_HASH, seal.record));
  expect(executor.records()).toEqual([recordOfGenesis(genesis), seal.record]);
  expect(executor.record().epoch).toBe(0);
  const boundary = childOf(chain.at(-1) as Made, [], seal.recordHash);
  await settle(executor, boundary);
  executor.moved(endOf(boundary));
  await settleAll(executor, [childOf(boundary)]);
  expect(executor.record()).toEqual(seal.record);
  expect(executor.reports.indexOf(`sealed ${seal.height}`)).toBeLessThan(
    executor.reports.indexOf(`committed ${boundary.block.height}`),
  );
  expect(executor.seals).toHaveLength(1);
});

it('finds records, epoch and seal again after a restart, before the boundary and after it', async () => {
  const folder = await newFolder();
  const before = await open(folder);
  const chain = sealingChain();
  await settleAll(before, chain);
  await before.stop();
  const sealed = await open(folder);
  await expect.poll(() => sealed.seals).toEqual(before.seals);
  expect(sealed.records()).toEqual(before.records());
  expect(sealed.record().epoch).toBe(0);
  const { recordHash, record } = sealed.seals[0] as EpochSeal;
  const boundary = childOf(chain.at(-1) as Made, [], recordHash);
  await settle(sealed, boundary);
  sealed.moved(endOf(boundary));
  await expect.poll(() => sealed.status().committedHeight).toBe(boundary.block.height);
  await sealed.stop();
  const closed = await open(folder);
  expect(closed.record()).toEqual(record);
  expect(epochsOf(closed)).toEqual([0, 1]);
  await settleAll(closed, [childOf(boundary)]);
  expect(closed.record()).toEqual(record);
});

it('has the records that an old copy of the state lacks from the ledger', async () => {
  const folder = await newFolder();
  const state = join(folder, DATA.state);
  const before = await open(folder);
  const chain = sealingChain();
  await settleAll(before, chain.slice(0, -1));
  await before.stop();
  await cp(state, `${state}-old`, { recursive: true });
  const after = await open(folder);
  await settleAll(after, chain.slice(-1));
  const { recordHash, record } = after.seals[0] as EpochSeal;
  const boundary = childOf(chain.at(-1) as Made, [], recordHash);
  await settle(after, boundary);
  after.moved(endOf(boundary));
  const first = childOf(boundary);
  await settleAll(after, [first]);
  await after.stop();
  await rm(state, { recursive: true });
  await rename(`${state}-old`, state);
  const again = await open(folder);
  expect(again.record()).toEqual(record);
  expect(again.records()).toEqual([recordOfGenesis(genesis), record]);
  await expect.poll(() => again.status().committedHeight).toBe(first.block.height);
  expect(again.record()).toEqual(record);
  expect(again.seals).toEqual(after.seals);
});

it('has the boundary uncommitted after a restart that lost the end, and takes it again', async () => {
  const folder = await newFolder();
  const before = await open(folder);
  const chain = sealingChain();
  await settleAll(before, chain);
  const { recordHash } = before.seals[0] as EpochSeal;
  const boundary = childOf(chain.at(-1) as Made, [], recordHash);
  await settle(before, boundary);
  await before.stop();
  const again = await open(folder);
  expect(again.status().committedHeight).toBe(EPOCH_BLOCKS_MIN);
  expect(again.record().epoch).toBe(GENESIS_EPOCH);
  await settle(again, boundary);
  again.moved(endOf(boundary));
  await expect.poll(() => again.status().committedHeight).toBe(boundary.block.height);
  expect(again.record().epoch).toBe(1);
});
