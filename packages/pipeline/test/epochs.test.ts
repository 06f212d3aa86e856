/** P11 and P12: seals are reported once they are sure, and the last block of an epoch commits with what ended the epoch. */
import { EPOCH_BLOCKS_MIN, type EpochSeal, readRecord } from '@slipstream/execution';
import { type PeerKey, toHex } from '@slipstream/primitives';
import { CRASH_MODES, createLifetime } from '@slipstream/simulator';
import {
  type Action,
  GENESIS_EPOCH,
  hexOf,
  type RecordHash,
  recordHashOf,
  type StateDigest,
  validatorIdOf,
} from '@slipstream/types';
import { describe, expect, it, vi } from 'vitest';
import { PIPELINE_MODES } from '../src/index.ts';
import {
  endAt,
  filesOf,
  finalize,
  GENESIS,
  GENESIS_HASH,
  genesis,
  type Node,
  type Proposed,
  putFiles,
  quiet,
  settle,
  stateCertificate,
  transaction,
  until,
  untilCommitted,
  World,
  type WorldHooks,
} from './world.ts';

const member = genesis.members[0] as (typeof genesis.members)[number];
/** The operator of the first member (arrange.genesis). */
const OPERATOR = 1000;

/** Due at once. */
function rotationTo(byte: number, epoch = 0) {
  const keys = {
    blsPublicKey: new Uint8Array(48).fill(byte),
    peerKey: toHex(new Uint8Array(32).fill(byte)) as PeerKey,
  };
  const actions: readonly Action[] = [
    {
      ...{ kind: 'rotateKeys', ...keys, validatorId: validatorIdOf(member.blsPublicKey), address: member.address },
      ...{ feeAccount: member.feeAccount, consent: new Uint8Array(96) },
    },
    { kind: 'ready', ...keys, epoch, version: 1, signature: new Uint8Array(96) },
  ];
  return { transactions: [transaction({ from: OPERATOR, actions })] };
}

const last = (chain: readonly Proposed[]) => chain.at(-1) as Proposed;

interface Story {
  readonly world: World;
  /** Up to the block before the seal. */
  readonly below: readonly Proposed[];
  readonly sealing: Proposed;
  /** Its child that closes nothing, and the one that does. */
  readonly open: Proposed;
  readonly boundary: Proposed;
  /** Of the next epoch. */
  readonly first: Proposed;
  readonly seal: EpochSeal;
}

/** The seal comes from a node of its own. */
async function story(): Promise<Story> {
  const world = new World();
  const below = world.chainOn(GENESIS, EPOCH_BLOCKS_MIN - 1);
  const sealing = world.blockOn(last(below), rotationTo(77));
  const node = await open(world);
  const digested = [...below, sealing].map(({ blockId, block }) => node.pipeline.execute(blockId, block));
  await Promise.all(digested);
  const view = node.state.view(hexOf(sealing.blockId));
  const record = readRecord({ get: ({ bytes }) => view.get(bytes) }, 1);
  const recordHash = node.pipeline.preimageOf(sealing.blockId)?.next as RecordHash;
  const seal = { recordHash, height: sealing.block.height, record };
  await node.pipeline.stop();
  const boundary = world.blockOn(sealing, { next: recordHash });
  return { world, below, sealing, open: world.blockOn(sealing), boundary, first: world.blockOn(boundary), seal };
}

/** A node with a disk of its own. */
function open(world: World, options: Parameters<World['open']>[0] = {}): Promise<Node> {
  return copyOf(world).open(options);
}

function copyOf(world: World, hooks: WorldHooks = {}): World {
  const own = new World(hooks);
  for (const [id, chunk] of world.chunks) own.chunks.set(id, chunk);
  return own;
}

async function settleAll(node: Node, chain: readonly Proposed[]): Promise<void> {
  for (const block of chain) await settle(node, block);
  await untilCommitted(node, last(chain).block.height);
}

describe.each(PIPELINE_MODES)('the seal of an epoch (%s)', (mode) => {
  it('is reported once, when the sealing block is executed and certified', async () => {
    const told = await story();
    const node = await open(told.world, { mode });
    await settleAll(node, told.below);
    const { blockId, block } = told.sealing;
    const digesting = node.pipeline.execute(blockId, block);
    finalize(node, told.sealing);
    const digest = await digesting;
    await quiet();
    expect(node.seals).toEqual([]);
    node.pipeline.certified(stateCertificate(told.sealing, digest));
    await untilCommitted(node, block.height);
    await settleAll(node, [told.open]);
    expect(node.seals).toEqual([told.seal]);
    expect(recordHashOf(GENESIS_HASH, told.seal.record)).toEqual(told.seal.recordHash);
  });

  it('is that of the final boundary, when no certificate is known', async () => {
    const told = await story();
    const node = await open(told.world, { mode });
    await settleAll(node, told.below);
    const chain = [told.sealing, told.boundary];
    const digesting = chain.map(({ blockId, block }) => node.pipeline.execute(blockId, block));
    for (const block of chain) finalize(node, block);
    const [, digest] = await Promise.all(digesting);
    await quiet();
    expect(node.seals).toEqual([]);
    node.pipeline.moved(endAt(told.boundary));
    expect(node.seals).toEqual([told.seal]);
    node.pipeline.certified(stateCertificate(told.boundary, digest as never));
    await untilCommitted(node, told.boundary.block.height);
    expect(node.seals).toHaveLength(1);
  });
});

describe('the seal', () => {
  it('that a final boundary names is reported once it is executed', async () => {
    const told = await story();
    const own = copyOf(told.world);
    const node = await own.open();
    await settleAll(node, told.below);
    for (const { chunkId } of told.sealing.block.payload) own.held.add(hexOf(chunkId));
    for (const block of [told.sealing, told.boundary]) finalize(node, block);
    node.pipeline.moved(endAt(told.boundary));
    await quiet();
    expect(node.seals).toEqual([]);
    own.held.clear();
    await until(() => node.seals.length > 0);
    expect(node.seals).toEqual([told.seal]);
  });

  it('of each epoch is reported in order, when several end above a block that waits for its chunks', async () => {
    const told = await story();
    const { world } = told;
    const upper = [told.first, ...world.chainOn(told.first, EPOCH_BLOCKS_MIN - 2)];
    const sealing = world.blockOn(last(upper), rotationTo(88, 1));
    const lower = [...told.below, told.sealing, told.boundary];
    const ahead = await open(world);
    const digests = [...lower, ...upper, sealing].map(({ blockId, block }) => ahead.pipeline.execute(blockId, block));
    await Promise.all(digests);
    const next = ahead.pipeline.preimageOf(sealing.blockId)?.next as RecordHash;
    await ahead.pipeline.stop();
    const boundary = world.blockOn(sealing, { next });
    const own = copyOf(world);
    const node = await own.open();
    await settleAll(node, told.below);
    for (const { chunkId } of told.sealing.block.payload) own.held.add(hexOf(chunkId));
    for (const block of [told.sealing, told.boundary]) finalize(node, block);
    node.pipeline.moved(endAt(told.boundary));
    for (const block of [...upper, sealing, boundary]) finalize(node, block);
    node.pipeline.moved(endAt(boundary));
    own.held.clear();
    await until(() => node.seals.length > 1);
    expect(node.seals.map(({ recordHash }) => recordHash)).toEqual([told.seal.recordHash, next]);
    expect(node.seals.map(({ height }) => height)).toEqual([EPOCH_BLOCKS_MIN, 2 * EPOCH_BLOCKS_MIN + 1]);
  });

  it('may be answered with a certificate of a block that the ledger has and the store lacks', async () => {
    const told = await story();
    const own = copyOf(told.world);
    const before = await own.open();
    await settleAll(before, [...told.below, told.sealing]);
    await before.pipeline.stop();
    const files = filesOf(own);
    const later = await own.open();
    await settleAll(later, [told.open]);
    const digest = later.committed.at(-1)?.stateDigest as StateDigest;
    await later.pipeline.stop();
    await putFiles(own, files);
    const certificate = stateCertificate(told.open, digest);
    const node = await own.open({ onSealed: (pipeline) => pipeline.certified(certificate) });
    const { height } = told.open.block;
    expect(node.pipeline.reconciled).toMatchObject({ ledgerHeight: height, stateHeight: height - 1 });
    await untilCommitted(node, height);
    expect(node.halts).toEqual([]);
    await node.pipeline.stop();
  });

  it('of a rival is not reported', async () => {
    const told = await story();
    const rival = told.world.blockOn(last(told.below), { ...rotationTo(88), view: 500 });
    const node = await open(told.world);
    await settleAll(node, told.below);
    await Promise.all([rival, told.sealing].map(({ blockId, block }) => node.pipeline.execute(blockId, block)));
    const others = node.pipeline.preimageOf(rival.blockId)?.next;
    expect(others).not.toEqual(told.seal.recordHash);
    expect(node.seals).toEqual([]);
    await settleAll(node, [told.sealing]);
    expect(node.seals.map(({ recordHash }) => recordHash)).toEqual([told.seal.recordHash]);
  });

  it('is reported again by a process that begins before the next epoch does, and not after', async () => {
    const told = await story();
    const own = copyOf(told.world);
    const node = await own.open();
    await settleAll(node, [...told.below, told.sealing]);
    await node.pipeline.stop();
    const between = await own.open();
    expect(between.seals).toEqual(node.seals);
    between.pipeline.finalized(...partsOf(told.boundary));
    between.pipeline.moved(endAt(told.boundary));
    await settleAll(between, [told.boundary]);
    expect(between.seals).toHaveLength(1);
    await between.pipeline.stop();
    const closed = await own.open();
    expect(closed.seals).toEqual(node.seals);
    closed.pipeline.moved(endAt(told.boundary));
    await settleAll(closed, [told.first]);
    await closed.pipeline.stop();
    expect((await own.open()).seals).toEqual([]);
  });
});

function partsOf(proposed: Proposed): Parameters<Node['pipeline']['finalized']> {
  return [proposed.blockId, proposed.block, endAt(proposed).certificate as never];
}

describe('the last block of an epoch', () => {
  it('commits with its end and the next record, and waits for them', async () => {
    const told = await story();
    const node = await open(told.world);
    const committed = vi.spyOn(node.ledger, 'commit');
    await settleAll(node, [...told.below, told.sealing]);
    await settle(node, told.boundary);
    await settle(node, told.first);
    await quiet();
    expect(node.pipeline.status()).toMatchObject({ committedHeight: told.sealing.block.height, certifiedHeight: 66 });
    node.pipeline.moved(endAt(told.boundary));
    await untilCommitted(node, told.first.block.height);
    const begun = committed.mock.calls.map(([, { newEpoch }]) => newEpoch);
    expect(begun.at(-2)).toEqual({ record: told.seal.record, end: endAt(told.boundary) });
    expect(begun.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await node.ledger.record(told.first.block.epoch)).toEqual(told.seal.record);
    const handover = await node.ledger.handover(GENESIS_EPOCH);
    expect(handover?.preimage).toMatchObject({ blockId: told.boundary.blockId, next: told.seal.recordHash });
  });

  it('leaves the same bytes in both modes', async () => {
    const told = await story();
    const all = { from: new Uint8Array([0]), to: new Uint8Array([255]), limit: 100_000 };
    const results = PIPELINE_MODES.map(async (mode) => {
      const own = copyOf(told.world);
      const node = await own.open({ mode });
      await settleAll(node, [...told.below, told.sealing]);
      await settle(node, told.boundary);
      node.pipeline.moved(endAt(told.boundary));
      await settleAll(node, [told.first]);
      await node.pipeline.stop();
      return {
        seals: node.seals,
        files: own.disk.paths().map((path) => [path, own.disk.contents(path)]),
        ledger: await own.store.mount().range(all),
      };
    });
    const [parallel, sequential] = await Promise.all(results);
    expect(parallel).toEqual(sequential);
  });

  it('is final before it ends the epoch', async () => {
    const told = await story();
    const node = await open(told.world);
    await settleAll(node, [...told.below, told.sealing]);
    void node.pipeline.execute(told.boundary.blockId, told.boundary.block);
    expect(() => node.pipeline.moved(endAt(told.boundary))).toThrow(/is not final yet/);
  });

  it.each(CRASH_MODES)('has its end in the ledger after a crash at any call (%s)', async (crash) => {
    const told = await story();
    let hadBoundary = 0;
    for (let at = 1, done = false; !done; at++) {
      const hooks: { onCall?: () => void } = {};
      const own = copyOf(told.world, hooks);
      const before = await own.open();
      await settleAll(before, told.below);
      await before.pipeline.stop();
      done = await dieAt(own, hooks, told, at);
      own.disk.crash(crash);
      own.store.crash(crash);
      own.kept.crash(crash);
      const node = await own.open();
      const { ledgerHeight } = node.pipeline.reconciled;
      if (ledgerHeight === told.boundary.block.height) hadBoundary += 1;
      const isClosed = ledgerHeight >= told.boundary.block.height;
      expect(await node.ledger.epochEnd(GENESIS_EPOCH)).toEqual(isClosed ? endAt(told.boundary) : undefined);
      await feed(node, told);
      expect(node.seals.map(({ recordHash }) => recordHash).slice(0, 1)).toEqual(
        node.pipeline.reconciled.stateHeight > told.boundary.block.height ? [] : [told.seal.recordHash],
      );
      await node.pipeline.stop();
    }
    expect(hadBoundary).toBeGreaterThan(0);
  });
});

/** As consensus does after a restart: all above the committed height again. */
async function feed(node: Node, { sealing, boundary, first }: Story): Promise<void> {
  for (const block of [sealing, boundary, first]) {
    const digesting = node.pipeline.execute(block.blockId, block.block);
    finalize(node, block);
    if (block === boundary) node.pipeline.moved(endAt(boundary));
    node.pipeline.certified(stateCertificate(block, await digesting));
  }
  await untilCommitted(node, first.block.height);
}

/** Whether it came to the end. */
async function dieAt(world: World, hooks: { onCall?: () => void }, told: Story, callsMax: number): Promise<boolean> {
  const lifetime = createLifetime();
  let calls = 0;
  let ended = false;
  hooks.onCall = () => {
    if (++calls >= callsMax) lifetime.end();
  };
  const life = world
    .open({ lifetime })
    .then((node) => feed(node, told))
    .then(() => {
      ended = true;
    });
  await Promise.race([life, until(() => !lifetime.alive || ended)]);
  delete hooks.onCall;
  lifetime.end();
  return ended;
}
