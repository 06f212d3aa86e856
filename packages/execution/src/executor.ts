/**
 * Executor: a block's transactions, in order, on its parent's state. A pure function with the same bytes on every node.
 *
 *   for each chunk, for each transaction:
 *     skip?      no effect, no receipt
 *     reserve    maxFee leaves the sender's balance
 *     actions    all or nothing
 *     charge     the fee, also when an action failed; the rest returns
 *   distilled batches, chunk by chunk (distilled/run-batches.ts)
 *   then, once: fees to the producers, prices of the window, expired sessions removed, lost turns counted, the next epoch's record sealed
 *
 * Prices are constant within a block. No content of a transaction or chunk makes this code throw.
 */
import type { BatchRecord, BlockBatch } from '@slipstream/distilled';
import {
  addToUnits,
  BLOCK_OUTPUT_BYTES_MAX,
  COMMITTEE_MEMBERS_MAX,
  type DistilledRoots,
  type EpochRecord,
  encodeReceipts,
  feesAt,
  type GenesisHash,
  height as heightOf,
  NO_UNITS,
  type PreparedTransaction,
  type Receipt,
  type RecordHash,
  type SkipReason,
  type Transaction,
  type TransactionId,
  type Units,
} from '@slipstream/types';
import { AMOUNT_MAX, addAmounts } from './amount.ts';
import { type Applications, NO_APPLICATIONS } from './applications/applications.ts';
import { type CallWatch, watched } from './applications/watched.ts';
import { type BlockMemory, createBlockMemory, type ExecutedIds, NO_SECRET } from './block-memory.ts';
import { type ConflictCounter, type ConflictStats, createConflictCounter } from './conflicts.ts';
import { readDistilledRoots } from './directory/directory.ts';
import { type Registration, registrationsOf } from './directory/registrations.ts';
import type { RowDirectory } from './distilled/row-accounts.ts';
import { runBatches } from './distilled/run-batches.ts';
import { enterEpoch } from './epochs/current-epoch.ts';
import { isGovernanceKind } from './epochs/keys.ts';
import { countLostTurns } from './epochs/lost-turns.ts';
import { type RecordHead, readHead, readMember } from './epochs/records.ts';
import { sealNextRecord } from './epochs/seal.ts';
import { encodeFees, type FeeState, feesAfterBlock, readFees } from './fees.ts';
import { type BlockOverlay, createBlockOverlay } from './overlay.ts';
import type { ParallelCalls } from './parallel/parallel-calls.ts';
import { turnCalendar } from './sessions/calendar.ts';
import { SESSION } from './sessions/record.ts';
import { type SkipContext, skipReasonOf } from './skip.ts';
import { accountStateKey, type CopyState, copyThrough, FEES_KEY, type ReadState } from './state-keys.ts';
import { planTransaction, runTransaction, type Terms } from './transaction.ts';
import { anyKind, type WriteColumns } from './write-columns.ts';

export interface BlockChunk {
  readonly epoch: number;
  /** Committee index in that epoch; earns the fees. */
  readonly producer: number;
  /** Iterated once per execution, so decoding may be lazy. */
  readonly transactions: Iterable<PreparedTransaction>;
  /** Iterated once per execution. */
  readonly batches?: Iterable<BlockBatch> | undefined;
}

export interface ExecuteBlock {
  readonly genesisHash: GenesisHash;
  readonly epoch: number;
  readonly view: number;
  readonly parentView: number;
  readonly height: number;
  readonly timestampMs: number;
  /** Committee index. */
  readonly proposer: number;
  readonly chunks: readonly BlockChunk[];
  /** Reads the parent's state. */
  readonly read: ReadState;
  /** The same state; by default through `read`. */
  readonly copy?: CopyState;
  /** Whether an ancestor executed the transaction, or ran the batch, within its life. */
  readonly seen: (id: TransactionId) => boolean;
  /** The record of the block's epoch says which of their artifacts run. Default: none. */
  readonly applications?: Applications | undefined;
  /** Runs calls of parallel actions beside the executor. No result depends on it. Default: none. */
  readonly parallel?: ParallelCalls | undefined;
  readonly watch?: CallWatch | undefined;
  /** Of one executor: used again by its next block. */
  readonly memory?: BlockMemory;
  /** Called for each transaction with a receipt, in order. */
  readonly onExecuted?: (transaction: Transaction) => void;
}

export interface Skipped {
  /** Of a transaction, or of a batch. */
  readonly id: TransactionId;
  readonly reason: SkipReason;
}

interface BlockStats extends ConflictStats {
  /** Executed ones, including failed ones, without skipped ones. */
  readonly transactions: number;
  readonly failed: number;
  readonly units: Units;
  readonly sessions: SessionCounts;
  /** Distilled rows that were charged. */
  readonly rows: number;
}

interface SessionCounts {
  readonly granted: number;
  /** Session transactions. */
  readonly used: number;
  /** Records created (by a grant or a credential's first use), and expired ones removed. */
  readonly made: number;
  readonly removed: number;
}

export interface ExecutedBlock {
  /** In transaction order, then key order; each key once, at its last writer. */
  readonly batch: WriteColumns;
  readonly receipts: readonly Receipt[];
  /** Serialized: the leaves of the receipts tree. */
  readonly receiptBytes: readonly Uint8Array[];
  /** Distilled batches that ran, in order. */
  readonly batches: readonly BatchRecord[];
  readonly skipped: readonly Skipped[];
  /** The record that is sealed for the next epoch, or NO_RECORD. */
  readonly next: RecordHash;
  /** That record, where this block sealed it. */
  readonly sealed: EpochRecord | undefined;
  /** Undefined: the chain has no account directory. */
  readonly distilled: DistilledRoots | undefined;
  /** Entries that it added to the directory. */
  readonly registered: readonly Registration[];
  /** Whether it wrote a validator or a proposal. */
  readonly governanceChanged: boolean;
  readonly stats: BlockStats;
}

export function executeBlock(block: ExecuteBlock): ExecutedBlock {
  const { keys, executed, entries } = (block.memory ?? createBlockMemory(NO_SECRET)).forNextBlock();
  const { read, copy = copyThrough(read) } = block;
  const overlay = createBlockOverlay({ read, copy }, keys);
  const head = enter(overlay, block);
  const { parameters } = head;
  const fees = readFees(block.read, parameters.fees);
  const terms = termsOf(block, head, fees);
  const begun = beginCalls(block, overlay, terms);
  const run: Run = {
    block,
    head,
    fees,
    overlay,
    conflicts: createConflictCounter(),
    receipts: [],
    skipped: [],
    executed,
    earned: new Map(),
    units: [...NO_UNITS],
    outputBytesLeft: BLOCK_OUTPUT_BYTES_MAX,
    terms: begun === undefined ? terms : { ...terms, applications: begun.applications },
    granted: 0,
    used: 0,
    calendar: { made: 0, removed: 0 },
  };
  for (const [position, chunk] of block.chunks.entries())
    executeChunk(run, begun === undefined ? chunk : { ...chunk, transactions: begun.of(position) }, position);
  begun?.end();
  const { ran: batches, batchesRoot, charged } = executeBatches(run, { copy, entries });
  const { next, sealed } = endBlock(run);
  const { receipts } = run;
  const batch = run.overlay.batch();
  const distilled = readDistilledRoots(overlay, { batchesRoot, batches: batches.length });
  return {
    next,
    sealed,
    distilled,
    registered: distilled === undefined ? [] : registrationsOf(overlay, block.height),
    batch,
    governanceChanged: anyKind(batch, isGovernanceKind),
    receipts,
    receiptBytes: encodeReceipts(receipts),
    batches,
    skipped: run.skipped,
    stats: {
      transactions: receipts.length,
      failed: receipts.filter(({ outcome }) => outcome.status === 'failed').length,
      units: run.units,
      sessions: { granted: run.granted, used: run.used, ...run.calendar },
      rows: charged,
      ...run.conflicts.stats(),
    },
  };
}

/** The epoch's record, which its first block takes over. */
function enter(overlay: BlockOverlay, block: ExecuteBlock): RecordHead {
  const writes = overlay.begin();
  const { number } = enterEpoch(writes, block);
  const head = readHead(writes, number);
  writes.merge();
  return head;
}

/** Before any transaction: workers get the values of the block's parent. */
function beginCalls(block: ExecuteBlock, overlay: BlockOverlay, { applications }: Terms) {
  const transactions = block.chunks.map((chunk) => chunk.transactions);
  return block.parallel?.begin({ ...block, applications, transactions }, overlay);
}

function termsOf(
  { timestampMs, height, watch, ...block }: ExecuteBlock,
  { parameters }: RecordHead,
  fees: FeeState,
): Terms {
  const { applications = NO_APPLICATIONS } = block;
  const inForce = applications.under(parameters.applications);
  const running = watch === undefined ? inForce : watched(inForce, watch);
  return { feeOf: feesAt(fees.prices), timestampMs, height, applications: running };
}

interface Run {
  readonly block: ExecuteBlock;
  /** Of the record of the block's epoch. */
  readonly head: RecordHead;
  /** Before the block. */
  readonly fees: FeeState;
  readonly overlay: BlockOverlay;
  readonly conflicts: ConflictCounter;
  readonly receipts: Receipt[];
  readonly skipped: Skipped[];
  readonly executed: ExecutedIds;
  /** Fees by the producer's place in its record. */
  readonly earned: Map<number, bigint>;
  readonly units: number[];
  readonly terms: Terms;
  outputBytesLeft: number;
  granted: number;
  used: number;
  calendar: { readonly made: number; readonly removed: number };
}

function executeChunk(run: Run, chunk: BlockChunk, position: number): void {
  const { block, executed } = run;
  const producer = producerOf(chunk);
  const context: SkipContext = { ...block, executedIn: executed.chunkOf, chunk: position };
  /** Senders that could not cover a fee: their later transactions in this chunk are skipped too. */
  const uncovered = new Set<number>();
  for (const prepared of chunk.transactions) {
    const reason = skipReasonOf(prepared, context) ?? executeOne(run, prepared, producer, uncovered);
    if (reason === undefined) {
      executed.add(prepared.id, position);
      block.onExecuted?.(prepared.transaction as Transaction);
    } else run.skipped.push({ id: prepared.id, reason });
  }
}

/** Undefined when the transaction left a receipt. */
function executeOne(
  run: Run,
  prepared: PreparedTransaction,
  producer: number,
  uncovered: Set<number>,
): SkipReason | undefined {
  const { overlay, terms } = run;
  const plan = planTransaction(prepared, terms.applications.unitsOfCall);
  if (uncovered.size > 0 && uncovered.has(overlay.numberOf(plan.sender))) return 'fee-not-covered';
  const ran = runTransaction(plan, overlay, terms, run.outputBytesLeft);
  if (!ran.ok) {
    if (ran.reason === 'fee-not-covered') uncovered.add(overlay.numberOf(plan.sender));
    return ran.reason;
  }
  const { outcome, output, otherKeys, fee, units } = ran;
  run.outputBytesLeft -= output.length;
  const keys = otherKeys.length === 0 ? plan.keys : [...plan.keys, ...otherKeys];
  run.conflicts.add(keys.map(overlay.numberOf));
  if (plan.session) run.used += 1;
  if (outcome.status === 'success') run.granted += plan.grants;
  addToUnits(run.units, units);
  earn(run, producer, fee);
  const height = heightOf(run.block.height);
  run.receipts.push({ transactionId: prepared.id, outcome, output, fee, units, height, index: run.receipts.length });
  return undefined;
}

function executeBatches(run: Run, directory: RowDirectory): ReturnType<typeof runBatches> {
  const { block, overlay, fees } = run;
  const found = runBatches({ ...block, directory }, overlay, fees.prices);
  run.skipped.push(...found.skipped);
  addToUnits(run.units, found.units);
  for (const { chunk, fee } of found.earned) earn(run, producerOf(block.chunks[chunk] as BlockChunk), fee);
  return found;
}

/** A member's place in the record of its epoch. */
function producerOf({ epoch, producer }: BlockChunk): number {
  return epoch * COMMITTEE_MEMBERS_MAX + producer;
}

function earn({ earned }: Run, producer: number, fee: bigint): void {
  earned.set(producer, (earned.get(producer) ?? 0n) + fee);
}

/** The block's own writes come last: the producers' fees, the window, removed sessions, lost turns, and the next record. */
function endBlock(run: Run): ReturnType<typeof sealNextRecord> {
  const { block, head, fees, overlay, earned, units } = run;
  const { height } = block;
  const writes = overlay.begin();
  for (const [producer, fee] of earned) {
    const epoch = Math.floor(producer / COMMITTEE_MEMBERS_MAX);
    const { feeAccount } = readMember(writes, epoch, producer % COMMITTEE_MEMBERS_MAX);
    const account = accountStateKey(feeAccount);
    // An overflow is burned; a genesis within its supply never causes one.
    const balance = addAmounts(writes.balance(account), fee) ?? AMOUNT_MAX;
    writes.setBalance(account, balance);
  }
  writes.set(FEES_KEY, encodeFees(feesAfterBlock(fees, units, height, head.parameters.fees)));
  run.calendar = turnCalendar(writes, { ...block, written: overlay.writtenUnder(SESSION) });
  countLostTurns(writes, head, block);
  const sealed = sealNextRecord(writes, block);
  writes.merge();
  return sealed;
}
