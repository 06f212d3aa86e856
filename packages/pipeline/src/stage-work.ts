import { encodeBatchRecord } from '@slipstream/distilled';
import { createBlockMemory, executeBlock as executeByRules } from '@slipstream/execution';
import { createAccountLists } from '@slipstream/ledger';
import { assert, bytesEqual, to0x } from '@slipstream/primitives';
import {
  asId,
  type DigestPreimage,
  merkleRoot,
  type StateDigest,
  stateDigestOf,
  type TransactionId,
} from '@slipstream/types';
import type { BlockEntry } from './block-entry.ts';
import type { BlockGraph } from './block-graph.ts';
import { createCommitSeals } from './commit-seals.ts';
import type { PipelineComponents, PipelineOptions } from './components.ts';
import { PipelineError } from './errors.ts';
import type { ReplayWindow } from './replay-window.ts';
import type { WorkStage } from './scheduler.ts';
import { touchedAccounts } from './touched-accounts.ts';

interface StageWorkComponents extends PipelineComponents {
  readonly graph: BlockGraph;
  readonly window: ReplayWindow;
  readonly tipDigest: () => StateDigest;
  readonly publish: (entry: BlockEntry) => void;
  readonly announce: (entry: BlockEntry) => void;
}

/** Pause before missing chunks are requested again; doubles up to the maximum. */
const PREPARE_RETRY_MS = 100;
const PREPARE_RETRY_MS_MAX = 5_000;

/** After so many in a row the thread yields: a node that catches up must still read disk and network. */
const EXECUTIONS_WITHOUT_PAUSE = 16;

export function createStageWork(
  components: StageWorkComponents,
  { genesisHash, hashKey }: PipelineOptions,
): Readonly<Record<WorkStage, (entry: BlockEntry) => Promise<void>>> {
  const { state, tree, ledger, graph, window, clock, telemetry, chunksOf, keepChunks, tipDigest, publish, announce } =
    components;
  const sealOf = createCommitSeals({ state, graph }, genesisHash);
  const executeBlock = components.executeBlock ?? executeByRules;
  const memory = createBlockMemory(hashKey);
  let executions = 0;

  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

  async function prepare(entry: BlockEntry): Promise<void> {
    const { blockId, block } = entry;
    const { signal } = entry.abort;
    for (let waitMs = PREPARE_RETRY_MS; ; waitMs = Math.min(2 * waitMs, PREPARE_RETRY_MS_MAX)) {
      try {
        const chunks = await chunksOf(blockId, block, signal);
        if (!signal.aborted) entry.chunks = chunks;
        return;
      } catch (error) {
        if (signal.aborted) return;
        telemetry.count('pipeline_prepare_retries');
        telemetry.log('debug', 'pipeline: chunks are missing, requested again', { error: String(error), waitMs });
      }
      await pause(waitMs);
    }
  }

  async function execute(entry: BlockEntry): Promise<void> {
    executions = (executions + 1) % EXECUTIONS_WITHOUT_PAUSE;
    const { run } = entry;
    if (executions === 0) await pause(0);
    if (entry.run !== run) return;
    const { block, chunks } = entry;
    assert(chunks !== undefined, 'a block is executed once its chunks are here');
    const accounts = createAccountLists();
    const view = state.view(entry.parent);
    const ancestors = new Set(graph.lineage(entry).map(({ id }) => id));
    const executed = await executeBlock({
      genesisHash,
      epoch: block.epoch,
      view: block.view,
      parentView: block.parentView,
      height: block.height,
      timestampMs: block.timestampMs,
      proposer: block.proposer,
      chunks,
      read: view.get,
      copy: view.copy,
      seen: (id) => window.has(id, (other) => ancestors.has(other)),
      memory,
      applications: components.applications,
      parallel: components.parallel,
      onExecuted: (transaction) => accounts.add(touchedAccounts(transaction)),
    });
    if (entry.run !== run) return; // the block was reset meanwhile
    const { batch, batches, ...kept } = executed;
    entry.executed = { ...kept, batches: batches.map(encodeBatchRecord) };
    entry.batch = batch;
    entry.accounts = accounts.packed();
    const ids = executed.receipts.map(({ transactionId }) => transactionId);
    for (const { batchId } of batches) ids.push(asId<TransactionId>(batchId));
    window.add(entry.id, block.timestampMs, ids);
  }

  async function digest(entry: BlockEntry): Promise<void> {
    const { executed, batch, blockId, block, run } = entry;
    assert(executed !== undefined && batch !== undefined, 'a block is digested once it is executed');
    const { checksum } = state.prepare(entry.parent, entry.id, batch);
    entry.batch = undefined;
    const stateRoot = await tree.apply(entry.parent, entry.id, batch);
    if (entry.run !== run) return; // the block was reset meanwhile, and its changes are dropped after this
    const parentDigest = graph.parentOf(entry)?.digest ?? tipDigest();
    const preimage: DigestPreimage = {
      height: block.height,
      blockId,
      parentDigest,
      batchChecksum: checksum,
      stateRoot,
      receiptsRoot: merkleRoot(executed.receiptBytes),
      transactionCount: executed.receiptBytes.length,
      next: executed.next,
      ...(executed.distilled && { distilled: executed.distilled }),
    };
    const own = stateDigestOf(genesisHash, preimage);
    if (entry.digest !== undefined && !bytesEqual(entry.digest, own)) {
      const data = { blockId: to0x(blockId), height: block.height, before: to0x(entry.digest), now: to0x(own) };
      throw new PipelineError('not-deterministic', `executing block ${data.blockId} again gave another digest`, data);
    }
    entry.preimage = preimage;
    entry.digest = own;
  }

  async function optCommit(entry: BlockEntry): Promise<void> {
    const { blockId, block, executed, accounts } = entry;
    assert(executed !== undefined && accounts !== undefined, 'a block is appended once it is digested');
    const { batches } = executed;
    const record = { blockId, block, receipts: executed.receiptBytes, accounts, batches };
    await Promise.all([entry.recorded ? undefined : ledger.putBlock(record), state.append(entry.id)]);
  }

  async function commit(entry: BlockEntry): Promise<void> {
    assert(state.pending()[0] === entry.id, 'the oldest pending block is the one that commits');
    const { block, chunks } = entry;
    assert(chunks !== undefined, 'a block is committed with the chunks that it was executed with');
    // In any order: after a crash, a block that the store lacks is executed and written again.
    const recorded = entry.recorded ? undefined : ledger.commit(entry.blockId, sealOf(entry));
    await Promise.all([keepChunks(block, chunks), recorded]);
    // P6: both are durable, so a reader that sees the block in the state finds its chunks. Reconciling at the start
    // repairs a crash before the store's commit.
    await state.commit(entry.id);
    publish(entry);
    // It waits for a block that is taken in.
    await tree.commit(entry.id);
  }

  return { prepare, execute, digest, optCommit, commit, notify: async (entry) => announce(entry) };
}
