/** The executor on its thread with a chain of its own, and blocks and certificates to feed it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochSeal } from '@slipstream/execution';
import { createClock } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { concatBytes, sha256 } from '@slipstream/primitives';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type ChunkId,
  chunkBodyCodec,
  epoch,
  type Genesis,
  genesisBlock,
  height,
  type PreparedTransaction,
  payloadRootOf,
  type RecordHash,
  type StateDigest,
  signedChunkCodec,
  view,
} from '@slipstream/types';
import { expect } from 'vitest';
import { GENESIS_HASH, NOW_MS } from '../../../packages/execution/test/builders.ts';
import { chunkHeader } from '../../../packages/types/test/chunk-header.ts';
import { type Executor, openExecutor } from '../src/executor/executor.ts';
import type { ExecutorSetting, SuppliedChunk } from '../src/executor/wire.ts';

const SIGNED = { signers: [0, 1, 2], aggregate: new Uint8Array(96).fill(1) };

export interface Opened extends Executor {
  readonly seals: EpochSeal[];
  /** What was reported, in order. */
  readonly reports: string[];
}

export interface Made {
  readonly blockId: BlockId;
  readonly block: Block;
}

export const ROOT: Made = (() => {
  const block = genesisBlock(GENESIS_HASH, NOW_MS);
  return { block, blockId: blockIdOf(block) };
})();

/** Last in, first out; call after each test. */
export function createFolders() {
  const undo: (() => Promise<unknown>)[] = [];
  return {
    later: (work: () => Promise<unknown>) => void undo.push(work),
    async newFolder(): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'slipstream-executor-'));
      undo.push(() => rm(folder, { recursive: true }));
      return folder;
    },
    async clear(): Promise<void> {
      for (let last = undo.pop(); last; last = undo.pop()) await last();
    },
  };
}

export const chunkId = (number: number): ChunkId => asId<ChunkId>(sha256(new Uint8Array([number])));

export function supplied(transactions: readonly PreparedTransaction[]): SuppliedChunk {
  const body = chunkBodyCodec.encode({ transactions: transactions.map(({ bytes }) => bytes), batches: [] });
  const header = chunkHeader(body, { transactionCount: transactions.length });
  return {
    bytes: signedChunkCodec.encode({ header, body, signature: new Uint8Array(192) }),
    verdicts: new Uint8Array(transactions.length),
    ids: concatBytes(...transactions.map(({ id }) => id)),
    batches: new Uint8Array(0),
  };
}

export const SETTING = {
  applications: [],
  callWorkers: 0,
  accepted: [],
  ledgerIsChecked: false,
  mode: 'parallel',
  tracedOneIn: 0,
  profilesTurns: false,
  snapshots: undefined,
  divergeAt: undefined,
  retention: { archive: true, blocks: 0 },
} as const;

/** Started. `chunk`: of each block that references one. */
export async function openOn(
  folder: string,
  genesis: Genesis,
  chunk: (id: ChunkId) => SuppliedChunk,
  before: (executor: Executor) => void = () => {},
  setting: Partial<ExecutorSetting> = {},
  fail: (error: unknown) => void = (error) => expect.fail(String(error)),
): Promise<Opened> {
  const executor = await openExecutor(
    {
      clock: createClock(),
      telemetry: silentTelemetry,
      payloadOf: async (_, { payload }) => payload.map(({ chunkId: id }) => chunk(id)),
      fail,
    },
    {
      folder,
      genesis,
      genesisHash: GENESIS_HASH,
      ...SETTING,
      ...setting,
    },
  );
  const [seals, reports]: [EpochSeal[], string[]] = [[], []];
  executor.onSealed((seal) => {
    seals.push(seal);
    reports.push(`sealed ${seal.height}`);
  });
  executor.onCommitted(({ block }) => reports.push(`committed ${block.height}`));
  before(executor);
  executor.start();
  return { ...executor, seals, reports };
}

export function childOf(parent: Made, chunks: readonly ChunkId[] = [], next?: RecordHash): Made {
  const { block: above } = parent;
  const payload = chunks.map((id) => ({ chunkId: id, certificate: undefined }));
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

export const finalizationOf = ({ block, blockId }: Made) => ({
  subject: { kind: 'finalize' as const, epoch: block.epoch, view: block.view, blockId },
  ...SIGNED,
});

export const certificateOf = (
  { block: { epoch: of, view: at, height: high }, blockId }: Made,
  digest: StateDigest,
) => ({
  subject: { kind: 'certify' as const, epoch: of, view: at, height: high, blockId, stateDigest: digest },
  ...SIGNED,
});

export async function settle(executor: Executor, made: Made): Promise<void> {
  const { block, blockId } = made;
  const digesting = executor.execute(blockId, block);
  executor.finalized(blockId, block, finalizationOf(made));
  executor.certified(certificateOf(made, await digesting));
}

export async function settleAll(executor: Executor, chain: readonly Made[]): Promise<void> {
  for (const made of chain) await settle(executor, made);
  const last = (chain.at(-1) as Made).block.height;
  await expect.poll(() => executor.status().committedHeight, { timeout: 20_000 }).toBe(last);
}
