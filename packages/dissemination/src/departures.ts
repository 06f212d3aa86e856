/**
 * Departures: how transactions leave the pool, each way counted, and remembered for whoever asks.
 *
 *   executed by a block --> on the chain           skipped for good, expired, too dear by now --> dropped, with the reason
 */
import type { Clock } from '@slipstream/ports';
import { hexOf, type SkipReason, type TransactionId } from '@slipstream/types';
import type { ClientWindow } from './client-window.ts';
import type { Rules } from './components.ts';
import type { Flow } from './flow.ts';
import type { Mempool, PoolTransaction } from './mempool.ts';
import type { ReadyQueue } from './ready-queue.ts';
import type { EndReason, Recent } from './recent.ts';
import type { Tally } from './tally.ts';
import type { ValidatorsWord } from './validators-word.ts';

export interface Departures {
  /** What a committed block did, to prices too. */
  committed(
    executedIds: readonly string[],
    skipped: readonly { readonly id: TransactionId; readonly reason: SkipReason }[],
    timestampMs: number,
  ): void;
  /** No block with this timestamp or a later one can execute them. */
  expire(timestampMs: number): void;
}

export interface DepartureParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly rules: Pick<Rules, 'feeOf' | 'haveFeesRisen'>;
  readonly pool: Pick<Mempool, 'remove' | 'expire' | 'entries'>;
  readonly ready: Pick<ReadyQueue, 'remove' | 'isEnclosed'>;
  readonly window: Pick<ClientWindow, 'left' | 'committed'>;
  readonly recent: Pick<Recent, 'included' | 'dropped'>;
  readonly flow: Pick<Flow, 'executed' | 'dropped'>;
  readonly tally: Pick<Tally, 'drop'>;
  readonly word: Pick<ValidatorsWord, 'wasWrong'>;
}

export function createDepartures(parts: DepartureParts): Departures {
  const { clock, rules, pool, ready, window, recent, flow, tally, word } = parts;

  /** Nearly all that a block executed was never in the pool of this node, and what is not there is not ready. */
  function remove(id: string): PoolTransaction | undefined {
    const entry = pool.remove(id);
    if (entry !== undefined) ready.remove(id);
    return entry;
  }

  /** Without a block: whoever submitted it here has room for another. */
  function lose(id: string): PoolTransaction | undefined {
    const entry = remove(id);
    if (entry !== undefined && entry.peer === undefined) window.left();
    return entry;
  }

  function drop({ id, expiryMs }: PoolTransaction, reason: EndReason): void {
    tally.drop(reason);
    flow.dropped(reason);
    recent.dropped(id, { reason, expiryMs });
  }

  function settle(ids: readonly string[]): void {
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

  /**
   * Prices rose: what a chunk may not hold any more goes, so that its sender learns of it now. What a chunk holds already stays: a block
   * may have it in time.
   */
  function dropDear(): void {
    const isTooDear = ({ id, units, maxFee }: PoolTransaction): boolean =>
      !ready.isEnclosed(id) && rules.feeOf(units) > maxFee;
    for (const entry of [...pool.entries()].filter(isTooDear)) {
      lose(entry.id);
      drop(entry, 'max-fee-too-low');
    }
  }

  return {
    committed(executedIds, skipped, timestampMs) {
      recent.included(executedIds, timestampMs);
      settle(executedIds);
      for (const { id, reason } of skipped) {
        const hex = hexOf(id);
        if (isEnd(reason)) {
          const lost = lose(hex);
          if (lost === undefined) continue;
          drop(lost, reason);
          if (reason === 'fee-not-covered' && lost.peer !== undefined) word.wasWrong(lost.peer);
        } else if ((reason === 'duplicate' || reason === 'chunk-duplicate') && lose(hex)) flow.dropped('duplicate');
      }
      if (rules.haveFeesRisen?.()) dropDear();
    },
    expire(timestampMs) {
      for (const entry of pool.expire(timestampMs)) {
        ready.remove(entry.id);
        if (entry.peer === undefined) window.left();
        drop(entry, 'expired');
      }
    },
  };
}

/**
 * Skips that will happen again to the same bytes. A session that does not carry it now will not later: what was admitted has been
 * used up, revoked or has expired. A bad signature says nothing about the pool's copy, which was verified; what expires too far
 * ahead may be included later.
 */
function isEnd(reason: SkipReason): reason is EndReason {
  const lasts = reason === 'expired' || reason === 'max-fee-too-low' || reason === 'fee-not-covered';
  return lasts || reason.startsWith('session-');
}
