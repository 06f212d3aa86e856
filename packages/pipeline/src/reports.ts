import type { Telemetry } from '@slipstream/ports';
import { assert, to0x } from '@slipstream/primitives';
import { UNIT_DIMENSIONS } from '@slipstream/types';
import type { BlockEntry } from './block-entry.ts';
import type { CommittedBlock, Halt, Reconciled } from './components.ts';
import type { Stage } from './stages.ts';

function named({ block, blockId }: BlockEntry) {
  return { height: block.height, view: block.view, blockId: to0x(blockId) };
}

export function reportExecuted(telemetry: Telemetry, entry: BlockEntry): void {
  const transactions = entry.executed?.stats.transactions ?? 0;
  telemetry.event('block.executed', { ...named(entry), transactions, tookMs: entry.clock.tookMs('execute') });
}

export function committedBlock(entry: BlockEntry): CommittedBlock {
  const { blockId, block, executed, preimage, digest, certifiedBy, finalization, clock } = entry;
  assert(executed && preimage && digest, 'a committed block was executed and digested');
  const { receipts, skipped, batches, stats, governanceChanged } = executed;
  const made = {
    receipts,
    skipped,
    batches,
    preimage,
    stateDigest: digest,
    certificate: certifiedBy,
    finalization,
    stats,
  };
  return {
    blockId,
    block,
    ...made,
    governanceChanged,
    times: clock.times(),
    hidden: clock.hidden(),
    executeMs: clock.tookMs('execute') + clock.tookMs('digest'),
  };
}

export function reportCommitted(telemetry: Telemetry, entry: BlockEntry, committed: CommittedBlock): void {
  const { proposer, timestampMs } = entry.block;
  const { sessions } = committed.stats;
  telemetry.event('block.committed', {
    ...named(entry),
    proposer,
    timestampMs,
    transactions: committed.receipts.length,
    rows: committed.stats.rows,
    stateDigest: to0x(committed.stateDigest),
    times: { ...committed.times },
    shadowedMs: committed.hidden.shadowedMs,
    sessionsGranted: sessions.granted,
    sessionTransactions: sessions.used,
  });
  for (const [i, dimension] of UNIT_DIMENSIONS.entries()) {
    telemetry.count('execution_units_total', committed.stats.units[i], { dimension });
  }
  telemetry.count('execution_transactions_executable_total', committed.stats.executableAtOnce);
  telemetry.count('execution_sessions_granted_total', sessions.granted);
  telemetry.count('execution_session_transactions_total', sessions.used);
  telemetry.count('execution_session_records_removed_total', sessions.removed);
  telemetry.count('execution_rows_total', committed.stats.rows);
  telemetry.observe('pipeline_hidden_share_ratio', committed.hidden.share);
  if (committed.receipts.length === 0) return;
  telemetry.gauge('pipeline_conflict_free_share_ratio', committed.stats.conflictFreeShare);
  telemetry.gauge('pipeline_longest_conflict_chain_transactions', committed.stats.longestConflictChain);
}

export function failureOf(entry: BlockEntry, stage: Stage, error: unknown): Extract<Halt, { type: 'failed' }> {
  return { type: 'failed', blockId: entry.blockId, block: entry.block, stage, error };
}

export function reportHalt(telemetry: Telemetry, reason: Halt): void {
  telemetry.log('error', `pipeline: halted (${reason.type}) at block ${to0x(reason.blockId)}`, {
    ...(reason.type === 'diverged'
      ? { own: to0x(reason.own), certified: to0x(reason.certified.subject.stateDigest) }
      : { stage: reason.stage, error: String(reason.error) }),
  });
}

export function reportReconciled(telemetry: Telemetry, { ledgerHeight, stateHeight, created }: Reconciled): void {
  const level = ledgerHeight === stateHeight ? 'info' : 'warn';
  telemetry.log(level, 'pipeline: ledger and state store reconciled', { from: stateHeight, to: ledgerHeight, created });
}
