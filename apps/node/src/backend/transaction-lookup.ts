/**
 * Where a transaction is:
 *
 *   committed (ledger; also a row) --no--> pooled (main thread) --no--> tracked (submitted here, recently) --no--> unknown
 */
import type { Lookup, NodeBackend, TransactionRecord } from '@slipstream/api';
import type { LedgerReader } from '@slipstream/ledger';
import { WAIT_STAGES, type WaitStage } from '@slipstream/schema';
import { height as asHeight, hexOf, type Receipt, type TransactionId } from '@slipstream/types';
import type { NodeLink } from '../api-thread/node-link.ts';
import type { TransactionOf } from './committed-transactions.ts';
import type { Reads } from './reads.ts';
import type { RowReads } from './row-reads.ts';
import { ENDS, refusalOf, statusOf, type TransactionState } from './standing.ts';
import type { Tracked, Tracker } from './tracker.ts';

interface LookupComponents {
  readonly node: Pick<NodeLink, 'pooled'>;
  readonly ledger: Pick<LedgerReader, 'entry' | 'transaction' | 'block'>;
  readonly tracker: Tracker;
  readonly reads: Pick<Reads, 'proof'>;
  readonly rows: Pick<RowReads, 'row'>;
  readonly transactionOf: TransactionOf;
  /** Timestamp of the ledger's newest block. */
  readonly headTimestampMs: () => number;
}

export class TransactionLookup {
  readonly #components: LookupComponents;

  constructor(components: LookupComponents) {
    this.#components = components;
  }

  /** `isAttestationAwaited`: a client waits for `attested`. */
  async find(id: TransactionId, isAttestationAwaited = false): Promise<Lookup<TransactionRecord>> {
    const { node, tracker, headTimestampMs } = this.#components;
    const headMs = headTimestampMs();
    const before = await this.#committed(id);
    if (before) return before;
    const pooled = await node.pooled(hexOf(id), isAttestationAwaited);
    // Committed between the two queries.
    const since = pooled.status === 'included' ? await this.#committed(id) : undefined;
    if (since) return since;
    // The notice may be lost, or came before a client waited.
    if (pooled.status === 'attested') tracker.moved(hexOf(id), 'attested');
    const tracked = tracker.get(hexOf(id));
    if (pooled.status === 'dropped') return { type: 'found', value: droppedAs(id, pooled, headMs) };
    if (tracked) return { type: 'found', value: trackedAs(id, tracked, headMs) };
    if (pooled.status !== 'pending' && pooled.status !== 'attested') return { type: 'unknown' };
    return { type: 'found', value: trackedAs(id, { height: undefined, expiryMs: undefined, ...pooled }, headMs) };
  }

  /** State without content: for the content a chunk would be decoded. */
  async place(id: TransactionId): Promise<TransactionState | undefined> {
    const found = await this.#components.ledger.transaction(id);
    return found && { status: statusOf(found.receipt) };
  }

  async waitFor(
    id: TransactionId,
    stages: readonly WaitStage[],
    signal: AbortSignal,
  ): Promise<Lookup<TransactionRecord>> {
    const { tracker } = this.#components;
    const answered = new AbortController();
    // Before the look-up, so that no change is missed.
    const waited = tracker.wait(hexOf(id), stages, AbortSignal.any([signal, answered.signal]));
    const known = await this.find(id, furthestOf(stages) === 'attested');
    if (await this.#isLasting(id, known)) {
      answered.abort();
      return known;
    }
    // Another node may have accepted the transaction.
    if (known.type === 'found' && known.value.expiryMs !== undefined) {
      tracker.endsBy(hexOf(id), known.value.expiryMs);
    }
    await waited;
    return this.find(id);
  }

  /** A position beyond the rows of a batch is unknown for good. */
  async #isLasting(id: TransactionId, found: Lookup<TransactionRecord>): Promise<boolean> {
    if (found.type === 'found') return ENDS.has(found.value.status);
    return found.type === 'pruned' || (await this.#components.ledger.entry(id)) !== undefined;
  }

  /** A pending transaction has no proof yet; reported as unknown it would be sent again. */
  async proof(id: TransactionId): ReturnType<NodeBackend['proof']> {
    const found = await this.#components.reads.proof(id);
    if (found.type !== 'unknown') return found;
    const known = await this.find(id);
    return known.type === 'found' && known.value.status !== 'expired' ? { type: 'not-ready' } : found;
  }

  async #committed(id: TransactionId): Promise<Lookup<TransactionRecord> | undefined> {
    const { ledger, rows } = this.#components;
    const entry = await ledger.entry(id);
    if (entry?.type === 'row') return rows.row(id, entry.batch);
    return entry && { type: 'found', value: await this.#ofReceipt(id, entry.transaction.receipt) };
  }

  async #ofReceipt(id: TransactionId, receipt: Receipt): Promise<TransactionRecord> {
    const { ledger, transactionOf } = this.#components;
    const status = statusOf(receipt);
    const place = await ledger.block({ height: receipt.height });
    const content = place && (await transactionOf(place.block, id));
    return { id, status, height: receipt.height, receipt, ...(content && { transaction: content }) };
  }
}

function furthestOf(stages: readonly WaitStage[]): WaitStage | undefined {
  return WAIT_STAGES.findLast((stage) => stages.includes(stage));
}

/** The expiry watch reports that within a second, the pool by its clock. */
function isPast(expiryMs: number | undefined, headMs: number): boolean {
  return expiryMs !== undefined && expiryMs <= headMs;
}

/** Dropped early: any node with the bytes may pack them again. A client that receives "expired" would sign again and might pay twice. */
function droppedAs(
  id: TransactionId,
  { reason, expiryMs }: { readonly reason: string; readonly expiryMs: number },
  headMs: number,
): TransactionRecord {
  const refusal = refusalOf(reason);
  const status = reason === 'expired' || isPast(expiryMs, headMs) ? 'expired' : 'pending';
  return { id, status, expiryMs, ...(refusal ? { reason: refusal } : {}) };
}

function trackedAs(
  id: TransactionId,
  { status, expiryMs, height }: Omit<Tracked, 'reason'>,
  headMs: number,
): TransactionRecord {
  return {
    id,
    status: !ENDS.has(status) && isPast(expiryMs, headMs) ? 'expired' : status,
    ...(expiryMs === undefined ? {} : { expiryMs }),
    ...(height === undefined ? {} : { height: asHeight(height) }),
  };
}
