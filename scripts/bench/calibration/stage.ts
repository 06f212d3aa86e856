/**
 * A chain on the state store: executes transactions and commits their batches.
 *
 * The store's files are in memory: a block's syncs cost the same for each case, and their waiting would hide what a write costs. The bytes
 * that it writes are those of a real disk.
 */
import { type BlockBatch, OUTCOME_SUCCESS } from '@slipstream/distilled';
import { type BlockMemory, type ExecutedBlock, executeBlock } from '@slipstream/execution';
import { nextTurn } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { createRandom, createSimDisk } from '@slipstream/simulator';
import { openStateStore, type StateStore, type Write } from '@slipstream/state';
import type { PreparedTransaction } from '@slipstream/types';
import type { CopyState } from '../../../packages/execution/src/state-keys.ts';
import { NOW_MS, type TestChain } from '../../../packages/execution/test/session-world.ts';
import { processorUs } from './timing.ts';

/** What a compaction moves depends on the blocks before: in batches that write the same keys again and again it would be most of the time. */
const UNCOMPACTED = { deadBytesMin: 2 ** 31 - 1, deadBytesMax: 2 ** 31 - 1 };

/** Distilled batches, after the transactions. */
export interface StageRows {
  readonly batches: readonly BlockBatch[];
  readonly copy: CopyState;
  readonly memory: BlockMemory;
}

export interface Stage {
  readonly chain: TestChain;
  readonly store: StateStore;
  execute(
    transactions: readonly PreparedTransaction[],
    read: (key: Uint8Array) => Uint8Array | undefined,
    rows?: StageRows,
  ): ExecutedBlock;
  /** Of the newest block. */
  height(): number;
  commit(batch: ExecutedBlock['batch']): Promise<Committed>;
  close(): Promise<void>;
}

/** us of the processor, from the prepared batch until it is folded into the index. */
interface Committed {
  readonly bytes: number;
  readonly preparedUs: number;
  readonly us: number;
}

export async function openStage(chain: TestChain, genesisBatch: Iterable<Write>): Promise<Stage> {
  const disk = createSimDisk({ random: createRandom('calibration') }).mount();
  const { store } = await openStateStore(
    { disk, telemetry: silentTelemetry, pause: nextTurn },
    {
      directory: 'state',
      genesisHash: chain.genesisHash,
      genesisBlock: 'genesis',
      genesisBatch,
      parameters: UNCOMPACTED,
    },
  );
  let height = 0;
  return {
    chain,
    store,
    height: () => height,
    execute: (transactions, read, rows) =>
      succeeded(
        executeBlock({
          genesisHash: chain.genesisHash,
          epoch: 0,
          view: height + 1,
          parentView: height,
          height: height + 1,
          timestampMs: NOW_MS,
          proposer: 0,
          chunks: [{ epoch: 0, producer: 0, transactions, batches: rows?.batches }],
          read,
          seen: () => false,
          ...(rows && { copy: rows.copy, memory: rows.memory }),
        }),
      ),
    async commit(batch) {
      const block = `block ${++height}`;
      const preparingUs = processorUs();
      const { bytes } = store.prepare(store.tip.block, block, batch);
      const startUs = processorUs();
      await store.append(block);
      await store.commit(block);
      await store.stats();
      return { bytes, preparedUs: startUs - preparingUs, us: processorUs() - startUs };
    },
    close: () => store.close(),
  };
}

/** A failed action costs less. */
function succeeded(executed: ExecutedBlock): ExecutedBlock {
  const failed = executed.receipts.find(({ outcome }) => outcome.status === 'failed');
  if (failed !== undefined) throw new Error(`an action failed: ${JSON.stringify(failed.outcome)}`);
  const isPaid = executed.batches.every(({ outcomes }) => outcomes.every((outcome) => outcome === OUTCOME_SUCCESS));
  if (!isPaid) throw new Error('a row failed');
  if (executed.skipped.length > 0) throw new Error(`skipped: ${executed.skipped[0]?.reason}`);
  return executed;
}
