/**
 * Recent outcomes: how transactions left the pool, to recognize late copies and answer status requests.
 *
 * Included ones are remembered for a transaction's longest life by block timestamp (D4). One dropped before its expiry may still be
 * executed, by another node's chunk or once its sender has the fee, so its expiry is remembered and expired ones displace none of these.
 */
import { TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import type { SessionReason } from '../intake/session-messages.ts';
import { createIdWindow } from './id-window.ts';

export type EndReason = 'expired' | 'over-limit' | 'max-fee-too-low' | 'fee-not-covered' | SessionReason;

export interface Drop {
  readonly reason: EndReason;
  /** A block from this timestamp on cannot execute it; an earlier one can, unless the reason is `expired`. */
  readonly expiryMs: number;
}

export interface RecentOutcomes {
  included(ids: readonly string[], timestampMs: number): void;
  dropped(id: string, drop: Drop): void;
  isIncluded(id: string): boolean;
  dropOf(id: string): Drop | undefined;
}

/** `hashKey`: eight secret bytes. */
export function createRecentOutcomes({ dropsMax }: { readonly dropsMax: number }, hashKey: Uint8Array): RecentOutcomes {
  const window = createIdWindow(hashKey);
  const blocks: { readonly timestampMs: number; readonly count: number }[] = [];
  const expired = createNewestDrops(dropsMax);
  const early = createNewestDrops(dropsMax);

  function forget(id: string): void {
    expired.delete(id);
    early.delete(id);
  }

  return {
    included(ids, timestampMs) {
      blocks.push({ timestampMs, count: ids.length });
      ids.forEach(window.add);
      if (expired.size + early.size > 0) ids.forEach(forget);
      while (blocks[0] !== undefined && blocks[0].timestampMs + TRANSACTION_LIFE_MS_MAX <= timestampMs) {
        window.forgetOldest((blocks.shift() as (typeof blocks)[0]).count);
      }
    },
    dropped(id, drop) {
      forget(id);
      (drop.reason === 'expired' ? expired : early).add(id, drop);
    },
    isIncluded: window.has,
    dropOf: (id) => early.get(id) ?? expired.get(id),
  };
}

/** The newest `most`; each id is added once. */
function createNewestDrops(most: number) {
  const drops = new Map<string, Drop>();
  /**
   * One iterator while each addition forgets one: a new one steps over the holes of all forgotten before. It holds the map's former tables,
   * so none is kept beyond an addition that forgets none.
   */
  let oldest: MapIterator<string> | undefined;
  return {
    get size() {
      return drops.size;
    },
    get: (id: string) => drops.get(id),
    delete: (id: string) => drops.delete(id),
    add(id: string, drop: Drop): void {
      drops.set(id, drop);
      oldest = drops.size > most ? (oldest ?? drops.keys()) : undefined;
      if (oldest !== undefined) drops.delete(oldest.next().value as string);
    },
  };
}
