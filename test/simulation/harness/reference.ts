/**
 * Receives only the final chain, executes block by block, never crashes. Every other disk must equal its disk at that height, byte for byte
 * (P2, P3, V1). So what holds of an application after each of its blocks holds on each of them.
 */
import type { BlockChunk } from '@slipstream/execution';
import type { Clock } from '@slipstream/ports';
import { assert, toHex } from '@slipstream/primitives';
import { createRandom, createSimDisk, createSimKeyValue, type SimDisk } from '@slipstream/simulator';
import { type Call, type ChunkId, GENESIS_EPOCH, hexOf } from '@slipstream/types';
import type { SimulatedChain } from './committee.ts';
import { chunkOfBytes, openPipeline, STATE_FOLDER } from './executing.ts';
import type { ExecutionRecord } from './execution-record.ts';

export interface Reference {
  /** Heights must not decrease. Returns the checksum, and log files by name. */
  at(height: number): Promise<{ readonly checksum: string; readonly logs: ReadonlyMap<string, string> }>;
}

/** Time stands still; actions run at the next tick. */
const clock: Clock = {
  wallMs: () => 0,
  monotonicMs: () => 0,
  after(_, action) {
    const timer = setImmediate(action);
    return () => clearImmediate(timer);
  },
};

export function logsOf(disk: SimDisk): ReadonlyMap<string, string> {
  const names = disk.paths().filter((path) => path.startsWith(`${STATE_FOLDER}/`) && path.endsWith('.log'));
  return new Map(names.sort().map((path) => [path, toHex(disk.contents(path) as Uint8Array)]));
}

export async function createReference(chain: SimulatedChain, executions: ExecutionRecord): Promise<Reference> {
  const random = createRandom('reference');
  /** By id, of chunks that it has read. */
  const calls = new Map<string, Call>();
  const disk = createSimDisk({ random });
  const { pipeline, state } = await openPipeline({
    disk: disk.mount(),
    keyValue: createSimKeyValue({ random }).mount(),
    clock,
    chain,
    mode: 'sequential',
    hasRoom: false,
    chunksOf: async (_, { payload }) => payload.map(({ chunkId }) => chunkOf(chunkId)),
  });
  function chunkOf(id: ChunkId): BlockChunk {
    const bytes = executions.chunks.get(hexOf(id));
    assert(bytes !== undefined, 'a chunk of a final block was read by another node');
    const chunk = chunkOfBytes(bytes, chain);
    for (const { transaction, id } of chain.calls?.ended ? chunk.transactions : []) {
      const [action] = transaction?.body.actions ?? [];
      if (action?.kind === 'call') calls.set(hexOf(id), action);
    }
    return chunk;
  }

  let height = 0;
  const committed = new Map<number, () => void>();
  pipeline.onCommitted(({ block, receipts }) => {
    for (const receipt of receipts) {
      const call = calls.get(hexOf(receipt.transactionId));
      if (call !== undefined) chain.calls?.ended?.(call, receipt);
    }
    committed.get(block.height)?.();
  });

  async function execute(at: number): Promise<void> {
    const final = executions.finals.get(at);
    assert(final !== undefined, `the block at ${at} was reported as final`);
    const { blockId, block } = final;
    const { view } = block;
    const done = new Promise<void>((resolve) => committed.set(at, resolve));
    const vote = { signers: [], aggregate: new Uint8Array(96) };
    const digesting = pipeline.execute(blockId, block);
    pipeline.finalized(blockId, block, { subject: { kind: 'finalize', epoch: GENESIS_EPOCH, view, blockId }, ...vote });
    const stateDigest = await digesting;
    pipeline.certified({
      subject: { kind: 'certify', epoch: GENESIS_EPOCH, view, height: block.height, blockId, stateDigest },
      ...vote,
    });
    await done;
    chain.calls?.check({ genesisHash: chain.genesisHash, height: at, read: state.get });
    const reported = executions.digests.get(at);
    assert(
      reported === undefined || reported === hexOf(stateDigest),
      `P2: the state at ${at} is what executing the chain gives`,
    );
    height = at;
  }

  pipeline.onHalted((halt) => {
    throw new Error(`the reference halted: ${halt.type}`);
  });
  pipeline.start();
  return {
    async at(target) {
      while (height < target) await execute(height + 1);
      return { checksum: toHex(state.tip.checksum), logs: logsOf(disk) };
    },
  };
}
