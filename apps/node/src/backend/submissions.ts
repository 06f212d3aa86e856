/**
 * Transactions of clients to the main thread's pool, and their results.
 *
 *   bytes --meter--> main thread --> accepted | known | rejected --sent again, or expired?--> ledger --> outcome
 */
import { isLoopback, type SubmitOutcome } from '@slipstream/api';
import type { IssuerMeter } from '@slipstream/crypto';
import type { SubmitResult } from '@slipstream/dissemination';
import { assert, CodedError } from '@slipstream/primitives';
import { hexOf, type TransactionId } from '@slipstream/types';
import type { NodeLink } from '../api-thread/node-link.ts';
import type { ClientSpans } from '../tracing/client-spans.ts';
import type { NodeOperation } from './operation.ts';
import { ENDS, knownAs, refusedAs, type TransactionState } from './standing.ts';
import type { Tracker } from './tracker.ts';
import type { TransactionLookup } from './transaction-lookup.ts';

interface SubmissionComponents {
  readonly node: Pick<NodeLink, 'submitMany'>;
  readonly operation: Pick<NodeOperation, 'refusal'>;
  readonly tracker: Tracker;
  /** Budget for bytes that are no transaction. */
  readonly meter: IssuerMeter;
  readonly lookup: TransactionLookup;
  /** Undefined: tracing is off. */
  readonly spans?: ClientSpans | undefined;
  /** Timestamp of the ledger's newest block. */
  readonly headTimestampMs: () => number;
}

/** Delay for a client after a full queue to the main thread, or too many invalid transactions. */
const FULL_RETRY_MS = 1_000;

export class Submissions {
  readonly #components: SubmissionComponents;

  constructor(components: SubmissionComponents) {
    this.#components = components;
  }

  async submit(bytes: Uint8Array, source?: string): Promise<SubmitOutcome> {
    const [outcome] = await this.submitMany([bytes], source);
    assert(outcome !== undefined, 'each submitted transaction has an outcome');
    return outcome;
  }

  async submitMany(transactions: readonly Uint8Array[], source?: string): Promise<readonly SubmitOutcome[]> {
    const { node, operation, meter, spans } = this.#components;
    const refusal = operation.refusal();
    if (refusal) return transactions.map(() => refusal);
    // Invalid bytes cost the main thread time. Requests of a local proxy are not metered: it has many clients.
    const payer = source === undefined || isLoopback(source) ? undefined : source;
    if (payer !== undefined && !meter.hasTokens(payer)) return overloaded(transactions);
    try {
      const accepted = spans?.submitted();
      const results = await node.submitMany(transactions, source);
      accepted?.(results.flatMap((result) => (result.type === 'accepted' ? hexOf(result.id) : [])));
      const garbage = results.filter((result) => result.type === 'rejected' && result.reason === 'malformed').length;
      if (payer !== undefined && garbage > 0) meter.failed(payer, garbage);
      return await this.#outcomesOf(results);
    } catch (error) {
      // The queue to the main thread, or one behind it, throws this.
      if (!(error instanceof CodedError && error.code === 'queue-full')) throw error;
      return overloaded(transactions);
    }
  }

  async #outcomesOf(results: readonly SubmitResult[]): Promise<readonly SubmitOutcome[]> {
    const immediate = results.map((result) => this.#immediateOutcome(result));
    const outcomes: SubmitOutcome[] = [];
    // In sequence: a client may ask for thousands, and reads share threads with the log's syncs.
    for (const [at, result] of results.entries()) outcomes.push(immediate[at] ?? (await this.#outcomeLookedUp(result)));
    return outcomes;
  }

  /** The outcome that needs no ledger; undefined: the ledger must be asked. */
  #immediateOutcome(result: SubmitResult): SubmitOutcome | undefined {
    switch (result.type) {
      case 'accepted':
        this.#components.tracker.submitted(hexOf(result.id), result.expiryMs);
        return { type: 'accepted', id: result.id, status: 'pending', expiryMs: result.expiryMs };
      case 'known': {
        if (!result.sameBytes && result.where === 'pool') {
          return { type: 'conflict', detail: 'this transaction is known with another signature' };
        }
        const standing = this.#trackedState(result.id, result.where);
        return standing && knownAs(result.id, standing);
      }
      case 'rejected':
        return result.reason === 'expired' && result.id !== undefined ? undefined : refusedAs(result);
    }
  }

  #trackedState(id: TransactionId, where: 'pool' | 'chain'): TransactionState | undefined {
    const { tracker, headTimestampMs } = this.#components;
    const tracked = tracker.get(hexOf(id));
    if (where === 'chain') return tracked?.status === 'final' || tracked?.status === 'failed' ? tracked : undefined;
    const mayBePast = (tracked?.expiryMs ?? 0) <= headTimestampMs();
    return tracked && !ENDS.has(tracked.status) && !mayBePast ? tracked : undefined;
  }

  /** For a repeated or expired transaction: the chain may hold it. */
  async #outcomeLookedUp(result: SubmitResult): Promise<SubmitOutcome> {
    assert(result.type !== 'accepted' && result.id !== undefined, 'what is looked up has an id');
    const { lookup } = this.#components;
    const { id } = result;
    const isPooled = result.type === 'known' && result.where === 'pool';
    const place = isPooled ? undefined : await lookup.place(id);
    if (place) return knownAs(id, place);
    if (result.type === 'rejected') return refusedAs(result);
    const found = await lookup.find(id);
    if (found.type !== 'found') return knownAs(id, { status: 'pending' });
    return knownAs(id, found.value);
  }
}

function overloaded(transactions: readonly unknown[]): readonly SubmitOutcome[] {
  return transactions.map(() => ({ type: 'overloaded', retryAfterMs: FULL_RETRY_MS }));
}
