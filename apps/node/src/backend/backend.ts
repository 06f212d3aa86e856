/** The node as the API sees it: submissions, statuses, waits, reads, acts of an operator. */
import type {
  EventHub,
  Lookup,
  NodeBackend,
  SubmitOutcome,
  TransactionMoves,
  TransactionRecord,
} from '@slipstream/api';
import type { Consensus } from '@slipstream/consensus';
import type { Dissemination, SubmitResult } from '@slipstream/dissemination';
import type { LedgerReader } from '@slipstream/ledger';
import type { Clock, Telemetry, Transport } from '@slipstream/ports';
import { REFUSAL_REASONS, type RefusalReason, type Status } from '@slipstream/schema';
import { type AccountKey, height as asHeight, type Genesis, hexOf, type TransactionId } from '@slipstream/types';
import type { Executor } from '../executor/executor.ts';
import type { TransactionOf } from './committed-transactions.ts';
import type { OperationDesk } from './operation.ts';
import type { PeerBoard } from './peers.ts';
import type { Reads } from './reads.ts';
import type { SessionReads } from './session-reads.ts';
import type { Tracker } from './tracker.ts';

export interface BackendComponents {
  readonly genesis: Genesis;
  readonly events: EventHub;
  readonly dissemination: Dissemination;
  readonly executor: Pick<Executor, 'status'>;
  readonly ledger: LedgerReader;
  readonly consensus: Consensus;
  readonly transport: Pick<Transport, 'peers' | 'block'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly tracker: Tracker;
  readonly moves: TransactionMoves;
  readonly board: PeerBoard;
  readonly reads: Reads;
  readonly sessions: SessionReads;
  /** The content of a committed transaction, while its chunk is kept. */
  readonly transactionOf: TransactionOf;
  readonly status: () => Status;
  readonly desk: OperationDesk;
  /** Serialized, signed transfer from the faucet to an account; undefined where there is no faucet. */
  readonly faucetTransfer: ((to: AccountKey, amount: bigint | undefined) => Uint8Array) | undefined;
}

/** What a refusal of the pool means at the border. */
function refusalOf(reason: string): RefusalReason | undefined {
  return REFUSAL_REASONS.find((known) => known === reason);
}

export function createBackend(components: BackendComponents): NodeBackend {
  const { dissemination, executor, ledger, consensus, transport, clock, telemetry, tracker, board, reads } = components;
  const { faucetTransfer } = components;

  async function submit(bytes: Uint8Array, source?: string): Promise<SubmitOutcome> {
    const refusal = components.desk.refusal();
    if (refusal) return refusal;
    return outcomeOf(await dissemination.submit(bytes, source));
  }

  async function outcomeOf(result: SubmitResult): Promise<SubmitOutcome> {
    switch (result.type) {
      case 'accepted':
        tracker.submitted(hexOf(result.id), result.expiryMs);
        return { type: 'accepted', id: result.id, status: 'pending', expiryMs: result.expiryMs };
      case 'known': {
        if (!result.sameBytes && result.where === 'pool') {
          return { type: 'conflict', detail: 'this transaction is known with another signature' };
        }
        const found = await transaction(result.id);
        if (found.type !== 'found') return { type: 'accepted', id: result.id, status: 'pending', isKnown: true };
        const { status, expiryMs, height, receipt } = found.value;
        return {
          ...{ type: 'accepted', id: result.id, status, isKnown: true },
          ...(expiryMs !== undefined && { expiryMs }),
          ...(height !== undefined && { height }),
          ...(receipt && { index: receipt.index }),
        };
      }
      case 'rejected': {
        if (result.reason === 'malformed') return { type: 'malformed', detail: result.message };
        if (result.retryAfterMs !== undefined) return { type: 'overloaded', retryAfterMs: result.retryAfterMs };
        const reason = refusalOf(result.reason);
        if (reason === undefined) return { type: 'invalid', reason: 'malformed', detail: result.message };
        return { type: 'invalid', reason, detail: result.message };
      }
    }
  }

  async function transaction(id: TransactionId): Promise<Lookup<TransactionRecord>> {
    const found = await ledger.transaction(id);
    if (found) {
      const { receipt } = found;
      const status = receipt.outcome.status === 'success' ? 'final' : 'failed';
      const place = await ledger.block({ height: receipt.height });
      const content = place && (await components.transactionOf(place.block, id));
      const value = { id, status, height: receipt.height, receipt } as const;
      return { type: 'found', value: content ? { ...value, transaction: content } : value };
    }
    const tracked = tracker.get(hexOf(id));
    const state = dissemination.status(hexOf(id));
    if (state.status === 'dropped') {
      const reason = refusalOf(state.reason);
      return { type: 'found', value: { id, status: 'expired', ...(reason ? { reason } : {}) } };
    }
    if (tracked) {
      const { expiryMs, height } = tracked;
      const more = {
        ...(expiryMs === undefined ? {} : { expiryMs }),
        ...(height === undefined ? {} : { height: asHeight(height) }),
      };
      return { type: 'found', value: { id, status: tracked.status, ...more } };
    }
    if (state.status === 'pending')
      return { type: 'found', value: { id, status: 'pending', expiryMs: state.expiryMs } };
    return { type: 'unknown' };
  }

  return {
    genesis: components.genesis,
    events: components.events,
    height: () => executor.status().committedHeight,
    status: async () => components.status(),
    peers: async () => board.views(transport.peers()),
    submit,
    submitMany: async (transactions, source) =>
      Promise.all((await dissemination.submitMany(transactions, source)).map(outcomeOf)),
    moves: components.moves,
    operation: components.desk.operation,
    transaction,
    async waitFor(id, stages, signal) {
      const known = await transaction(id);
      if (known.type === 'found' && (known.value.status === 'final' || known.value.status === 'failed')) return known;
      await tracker.wait(hexOf(id), stages, signal);
      return transaction(id);
    },
    proof: reads.proof,
    faucet: faucetTransfer && (async (account, amount) => submit(faucetTransfer(account, amount))),
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
    async blockPeer(peer, reason) {
      if (!transport.peers().some((status) => status.peer === peer)) return { type: 'unknown' };
      transport.block(peer);
      board.blockedBy(peer, reason);
      telemetry.event('peer.blocked', {
        peer,
        reason,
        detail: 'by an operator',
        by: 'operator',
        view: consensus.status().view,
      });
      telemetry.log('warn', 'an operator blocked a peer', { peer, reason, atMs: clock.wallMs() });
      return { type: 'done' };
    },
    async unblockPeer(peer) {
      if (!board.isBlocked(peer)) return { type: 'unknown' };
      consensus.unblock(peer);
      board.unblocked(peer);
      telemetry.log('warn', 'an operator unblocked a peer', { peer, atMs: clock.wallMs() });
      return { type: 'done' };
    },
  };
}
