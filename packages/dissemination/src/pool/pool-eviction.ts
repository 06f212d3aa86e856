/**
 * Pool eviction: each way out of the pool, counted and remembered for status requests.
 *
 *   executed by a block --> on the chain
 *   skipped for good, expired, maxFee below the risen fee,
 *   above a lowered limit, credential of no issuer in this epoch --> dropped, with the reason
 */
import type { Clock } from '@slipstream/ports';
import { hexOf, issuerFault, type SkipReason, type TransactionId } from '@slipstream/types';
import type { Rules } from '../components.ts';
import type { ClientWindow } from '../control/client-window.ts';
import type { Committees } from '../epochs/committees.ts';
import type { TrustedForwarders } from '../forwarding/trusted-forwarders.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import type { Flow } from '../metrics/flow.ts';
import type { Mempool } from './mempool.ts';
import type { PoolTransaction } from './pool-transaction.ts';
import type { ReadyQueue } from './ready-queue.ts';
import type { EndReason, RecentOutcomes } from './recent-outcomes.ts';

export interface PoolEviction {
  committed(
    executedIds: readonly string[],
    skipped: readonly { readonly id: TransactionId; readonly reason: SkipReason }[],
    timestampMs: number,
  ): void;
  /** No block from this timestamp on can execute them. */
  expire(timestampMs: number): void;
  /** The current epoch is another one: drops what its chunks may not hold. Chunks of the epoch before may bring theirs to execution. */
  moved(): void;
  /** Takes it out; it may enter again. */
  withdraw(id: string): void;
}

interface PoolEvictionParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly rules: Pick<Rules, 'feeOf' | 'haveFeesRisen'>;
  readonly pool: Pick<Mempool, 'remove' | 'expire' | 'entries'>;
  readonly ready: Pick<ReadyQueue, 'remove' | 'isInChunk'>;
  readonly window: Pick<ClientWindow, 'dropped' | 'committed'>;
  readonly recent: Pick<RecentOutcomes, 'included' | 'dropped'>;
  readonly flow: Pick<Flow, 'executed' | 'dropped'>;
  readonly drops: Pick<DropCounter, 'add'>;
  readonly trustedForwarders: Pick<TrustedForwarders, 'distrust'>;
  readonly committees: Pick<Committees, 'current' | 'recordOf'>;
}

export function createPoolEviction(parts: PoolEvictionParts): PoolEviction {
  const { clock, rules, pool, ready, window, recent, flow, drops, trustedForwarders } = parts;

  /** Most transactions of a block were never in this pool. */
  function remove(id: string): PoolTransaction | undefined {
    const entry = pool.remove(id);
    if (entry !== undefined) ready.remove(id);
    return entry;
  }

  /** Frees its place in the client window. */
  function removeUnexecuted(id: string): PoolTransaction | undefined {
    const entry = remove(id);
    if (entry !== undefined && entry.peer === undefined) window.dropped();
    return entry;
  }

  function drop({ id, expiryMs }: PoolTransaction, reason: EndReason): void {
    drops.add(reason);
    flow.dropped(reason);
    recent.dropped(id, { reason, expiryMs });
  }

  function removeExecuted(ids: readonly string[]): void {
    const nowMs = clock.monotonicMs();
    const agesMs: number[] = [];
    for (const id of ids) {
      const entry = remove(id);
      if (entry === undefined) continue;
      flow.executed();
      if (entry.peer === undefined) agesMs.push(nowMs - entry.arrivedMs);
    }
    window.committed(agesMs);
  }

  /** Drops what no new chunk may hold at the risen prices, so that senders learn now. Chunks may still bring theirs to execution. */
  function dropUnderpriced(): void {
    const isUnderpriced = ({ id, units, maxFee }: PoolTransaction): boolean =>
      !ready.isInChunk(id) && rules.feeOf(units) > maxFee;
    for (const entry of [...pool.entries()].filter(isUnderpriced)) {
      removeUnexecuted(entry.id);
      drop(entry, 'max-fee-too-low');
    }
  }

  /** Chunks hold them. Once no block may take such a chunk, they are dropped. */
  let forbidden: readonly PoolTransaction[] = [];

  function dropForbidden(entries: Iterable<PoolTransaction>): void {
    const { current, recordOf } = parts.committees;
    const record = recordOf(current.epoch);
    const isOver = ({ units }: PoolTransaction) => units.some((unit, i) => unit > (current.unitLimits[i] as number));
    const held: PoolTransaction[] = [];
    for (const entry of [...entries]) {
      const fault = (entry.issuer && issuerFault(entry.issuer, record)) ?? (isOver(entry) ? 'over-limit' : undefined);
      if (fault === undefined) continue;
      if (ready.isInChunk(entry.id)) held.push(entry);
      else if (removeUnexecuted(entry.id) !== undefined) drop(entry, fault);
    }
    forbidden = held;
  }

  return {
    committed(executedIds, skipped, timestampMs) {
      recent.included(executedIds, timestampMs);
      removeExecuted(executedIds);
      for (const { id, reason } of skipped) {
        const hex = hexOf(id);
        if (isFinalSkip(reason)) {
          const lost = removeUnexecuted(hex);
          if (lost === undefined) continue;
          drop(lost, reason);
          if (reason === 'fee-not-covered' && lost.peer !== undefined) trustedForwarders.distrust(lost.peer);
        } else if ((reason === 'duplicate' || reason === 'chunk-duplicate') && removeUnexecuted(hex))
          flow.dropped('duplicate');
      }
      if (rules.haveFeesRisen?.()) dropUnderpriced();
      if (forbidden.length > 0) dropForbidden(forbidden);
    },
    expire(timestampMs) {
      for (const entry of pool.expire(timestampMs)) {
        ready.remove(entry.id);
        if (entry.peer === undefined) window.dropped();
        drop(entry, 'expired');
      }
    },
    moved: () => dropForbidden(pool.entries()),
    withdraw: (id) => void removeUnexecuted(id),
  };
}

/**
 * Whether the same bytes will be skipped again: a session is used up, revoked or expired for good. A bad signature is another copy's,
 * since the pool's was verified. One that expires too far ahead may be included later.
 */
function isFinalSkip(reason: SkipReason): reason is Exclude<EndReason, 'over-limit'> {
  const lasts = reason === 'expired' || reason === 'max-fee-too-low' || reason === 'fee-not-covered';
  return lasts || reason.startsWith('session-');
}
