import type {
  EventHub,
  Lookup,
  NodeBackend,
  SubmitOutcome,
  TransactionMoves,
  TransactionRecord,
} from '@slipstream/api';
import { isLoopback } from '@slipstream/api';
import type { IssuerMeter } from '@slipstream/crypto';
import type { SubmitResult } from '@slipstream/dissemination';
import type { LedgerReader } from '@slipstream/ledger';
import { assert, CodedError } from '@slipstream/primitives';
import { REFUSAL_REASONS, type RefusalReason, type TransactionStatus } from '@slipstream/schema';
import {
  type AccountKey,
  height as asHeight,
  type Genesis,
  hexOf,
  type Receipt,
  type TransactionId,
} from '@slipstream/types';
import type { NodeLink } from '../api-thread/node-link.ts';
import type { TransactionOf } from './committed-transactions.ts';
import type { NodeOperation } from './operation.ts';
import type { Reads } from './reads.ts';
import type { SessionReads } from './session-reads.ts';
import type { Tracker } from './tracker.ts';

export interface BackendComponents {
  readonly genesis: Genesis;
  readonly events: EventHub;
  readonly node: NodeLink;
  readonly ledger: LedgerReader;
  readonly tracker: Tracker;
  readonly moves: TransactionMoves;
  readonly reads: Reads;
  readonly sessions: SessionReads;
  /** The content of a committed transaction, while its chunk is retained. */
  readonly transactionOf: TransactionOf;
  /** Newest committed height known here. */
  readonly height: () => number;
  /** Timestamp of the newest committed block that the ledger is known to hold. */
  readonly headTimestampMs: () => number;
  readonly operation: NodeOperation;
  /** Budget of bytes that are no transaction. */
  readonly meter: IssuerMeter;
  /** Name of a peer (0x...), if the fleet knows it. */
  readonly nameOf: (peer: string) => string | undefined;
  /** Serialized, signed transfer from the faucet to an account; undefined without a faucet. */
  readonly faucetTransfer: ((to: AccountKey, amount: bigint | undefined) => Promise<Uint8Array>) | undefined;
}

/** Delay that a client gets when the queue to the main thread is full, or when it sent too many invalid transactions. */
const FULL_RETRY_MS = 1_000;

function refusalOf(reason: string): RefusalReason | undefined {
  return REFUSAL_REASONS.find((known) => known === reason);
}

function overloaded(transactions: readonly unknown[]): readonly SubmitOutcome[] {
  return transactions.map(() => ({ type: 'overloaded', retryAfterMs: FULL_RETRY_MS }));
}

function statusOf({ outcome }: Receipt): 'final' | 'failed' {
  return outcome.status === 'success' ? 'final' : 'failed';
}

function knownAs(id: TransactionId, { status, expiryMs, height, index }: Standing): SubmitOutcome {
  return {
    ...{ type: 'accepted', id, status, isKnown: true },
    ...(expiryMs !== undefined && { expiryMs }),
    ...(height !== undefined && { height }),
    ...(index !== undefined && { index }),
  };
}

function refusedAs(result: Extract<SubmitResult, { readonly type: 'rejected' }>): SubmitOutcome {
  if (result.reason === 'malformed') return { type: 'malformed', detail: result.message };
  if (result.retryAfterMs !== undefined) return { type: 'overloaded', retryAfterMs: result.retryAfterMs };
  return { type: 'invalid', reason: refusalOf(result.reason) ?? 'malformed', detail: result.message };
}

interface Standing {
  readonly status: TransactionStatus;
  readonly expiryMs?: number | undefined;
  readonly height?: number | undefined;
  readonly index?: number | undefined;
}

const ENDS: ReadonlySet<string> = new Set(['final', 'failed', 'expired']);

export function createBackend(components: BackendComponents): NodeBackend {
  const { node, ledger, tracker, operation, meter, reads, nameOf, faucetTransfer } = components;

  async function submitMany(transactions: readonly Uint8Array[], source?: string): Promise<readonly SubmitOutcome[]> {
    const refusal = operation.refusal();
    if (refusal) return transactions.map(() => refusal);
    // Invalid bytes cost the main thread time. Requests through a proxy on this machine are not metered: they come from many clients.
    const payer = source === undefined || isLoopback(source) ? undefined : source;
    if (payer !== undefined && !meter.mayAsk(payer)) return overloaded(transactions);
    try {
      const results = await node.submitMany(transactions, source);
      const garbage = results.filter((result) => result.type === 'rejected' && result.reason === 'malformed').length;
      if (payer !== undefined && garbage > 0) meter.failed(payer, garbage);
      const immediate = results.map(outcomeAtOnce);
      const outcomes: SubmitOutcome[] = [];
      // One look-up after another: a client may ask for thousands, and reads share their threads with the log's syncs.
      for (const [at, result] of results.entries()) outcomes.push(immediate[at] ?? (await outcomeLookedUp(result)));
      return immediate.includes(undefined) ? outcomes.map(asOfNow) : outcomes;
    } catch (error) {
      // Thrown by the queue to the main thread, or one behind it.
      if (!(error instanceof CodedError && error.code === 'queue-full')) throw error;
      return overloaded(transactions);
    }
  }

  async function submit(bytes: Uint8Array, source?: string): Promise<SubmitOutcome> {
    const [outcome] = await submitMany([bytes], source);
    assert(outcome !== undefined, 'each submitted transaction has an outcome');
    return outcome;
  }

  /** Updates the status of an accepted transaction: a change during the look-ups of others would be missed by a later subscriber. */
  function asOfNow(outcome: SubmitOutcome): SubmitOutcome {
    if (outcome.type !== 'accepted' || outcome.isKnown === true) return outcome;
    const { status, height, index } = tracker.get(hexOf(outcome.id)) ?? outcome;
    return { ...outcome, status, ...(height !== undefined && { height }), ...(index !== undefined && { index }) };
  }

  /** Undefined when the ledger must be asked. Accepted transactions are tracked from here on. */
  function outcomeAtOnce(result: SubmitResult): SubmitOutcome | undefined {
    switch (result.type) {
      case 'accepted':
        tracker.submitted(hexOf(result.id), result.expiryMs);
        return { type: 'accepted', id: result.id, status: 'pending', expiryMs: result.expiryMs };
      case 'known': {
        if (!result.sameBytes && result.where === 'pool') {
          return { type: 'conflict', detail: 'this transaction is known with another signature' };
        }
        const standing = standingHere(result.id, result.where);
        return standing && knownAs(result.id, standing);
      }
      case 'rejected':
        return result.reason === 'expired' && result.id !== undefined ? undefined : refusedAs(result);
    }
  }

  /** Status of a transaction that was sent here before; repeated submissions need no call to the main thread. */
  function standingHere(id: TransactionId, where: 'pool' | 'chain'): Standing | undefined {
    const tracked = tracker.get(hexOf(id));
    if (where === 'chain') return tracked?.status === 'final' || tracked?.status === 'failed' ? tracked : undefined;
    const mayBePast = (tracked?.expiryMs ?? 0) <= components.headTimestampMs();
    return tracked && !ENDS.has(tracked.status) && !mayBePast ? tracked : undefined;
  }

  /**
   * For a repeated or expired transaction: the chain may hold it, and a repeated submission is answered with its outcome. Does not read
   * the content, which would mean decoding a chunk.
   */
  async function outcomeLookedUp(result: SubmitResult): Promise<SubmitOutcome> {
    assert(result.type !== 'accepted' && result.id !== undefined, 'what is looked up has an id');
    const { id } = result;
    const isPooled = result.type === 'known' && result.where === 'pool';
    const place = isPooled ? undefined : await ledger.transaction(id);
    if (place) return knownAs(id, { status: statusOf(place.receipt), height: place.height, index: place.index });
    if (result.type === 'rejected') return refusedAs(result);
    const found = await transaction(id);
    if (found.type !== 'found') return knownAs(id, { status: 'pending' });
    return knownAs(id, { ...found.value, index: found.value.receipt?.index });
  }

  async function committed(id: TransactionId): Promise<TransactionRecord | undefined> {
    const found = await ledger.transaction(id);
    if (!found) return undefined;
    const { receipt } = found;
    const status = statusOf(receipt);
    const place = await ledger.block({ height: receipt.height });
    const content = place && (await components.transactionOf(place.block, id));
    return { id, status, height: receipt.height, receipt, ...(content && { transaction: content }) };
  }

  async function transaction(id: TransactionId): Promise<Lookup<TransactionRecord>> {
    const headMs = components.headTimestampMs();
    /** No block up to the head holds it, and no later one can. The expiry watch reports that within a second, the pool by its clock. */
    const isPast = (expiryMs: number | undefined) => expiryMs !== undefined && expiryMs <= headMs;
    const before = await committed(id);
    if (before) return { type: 'found', value: before };
    const state = await node.pooled(hexOf(id));
    // Its block was committed between the two queries.
    const since = state.status === 'included' ? await committed(id) : undefined;
    if (since) return { type: 'found', value: since };
    const tracked = tracker.get(hexOf(id));
    if (state.status === 'dropped') {
      const { expiryMs } = state;
      const reason = refusalOf(state.reason);
      // Dropped early: any node with the bytes may pack them again. A client told "expired" would sign again and might pay twice.
      const status = state.reason === 'expired' || isPast(expiryMs) ? 'expired' : 'pending';
      return { type: 'found', value: { id, status, expiryMs, ...(reason ? { reason } : {}) } };
    }
    if (tracked) {
      const { expiryMs, height } = tracked;
      const more = {
        ...(expiryMs === undefined ? {} : { expiryMs }),
        ...(height === undefined ? {} : { height: asHeight(height) }),
      };
      const status = !ENDS.has(tracked.status) && isPast(expiryMs) ? 'expired' : tracked.status;
      return { type: 'found', value: { id, status, ...more } };
    }
    if (state.status === 'pending') {
      const { expiryMs } = state;
      return { type: 'found', value: { id, status: isPast(expiryMs) ? 'expired' : 'pending', expiryMs } };
    }
    return { type: 'unknown' };
  }

  /** A pending transaction has no proof yet; reported as unknown it would be sent again. */
  async function proof(id: TransactionId): ReturnType<NodeBackend['proof']> {
    const found = await reads.proof(id);
    if (found.type !== 'unknown') return found;
    const known = await transaction(id);
    return known.type === 'found' && known.value.status !== 'expired' ? { type: 'not-ready' } : found;
  }

  return {
    genesis: components.genesis,
    events: components.events,
    height: components.height,
    status: async () => operation.withDrain(await node.status()),
    async peers() {
      const peers = await node.peers();
      return peers.map((peer) => {
        const name = nameOf(peer.peer);
        return name === undefined ? peer : { ...peer, name };
      });
    },
    submit,
    submitMany,
    moves: components.moves,
    operation: operation.operation,
    transaction,
    async waitFor(id, stages, signal) {
      // The wait begins before the look-up, so that no change between the two is missed.
      const answered = new AbortController();
      const waited = tracker.wait(hexOf(id), stages, AbortSignal.any([signal, answered.signal]));
      const known = await transaction(id);
      if (known.type === 'found' && ENDS.has(known.value.status)) {
        answered.abort();
        return known;
      }
      // Also for a transaction that another node accepted: this wait ends at its expiry.
      if (known.type === 'found' && known.value.expiryMs !== undefined) {
        tracker.endsBy(hexOf(id), known.value.expiryMs);
      }
      await waited;
      return transaction(id);
    },
    proof,
    faucet: faucetTransfer && (async (account, amount) => submit(await faucetTransfer(account, amount))),
    ...components.sessions,
    account: reads.account,
    accountData: reads.accountData,
    accountTransactions: reads.accountTransactions,
    block: reads.block,
    blocks: reads.blocks,
    blockTransactions: reads.blockTransactions,
    blockOutcomes: reads.blockOutcomes,
    certificates: reads.certificates,
    fees: reads.fees,
    evidence: reads.evidence,
    blockPeer: node.blockPeer,
    unblockPeer: node.unblockPeer,
  };
}
