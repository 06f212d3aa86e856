/**
 * Deferred by chunk: work that a block with the chunk makes needless.
 *
 *   add --> due --isUnneeded? no--> onDue
 *            ^-----------yes, again later        take, takeAll: wanted earlier
 */
import type { Clock } from '@slipstream/ports';

interface DeferredByChunk<Item> {
  /** By chunk id. Replaces the one before. */
  add(hex: string, item: Item, waitMs: number): void;
  has(hex: string): boolean;
  /** Removes and returns it. */
  take(hex: string): Item | undefined;
  takeAll(): readonly Item[];
  forget(hex: string): void;
  readonly size: number;
  stop(): void;
}

interface DeferredParts<Item> {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  /** Asked when an item is due: a block has its chunk. */
  readonly isUnneeded: (hex: string) => boolean;
  readonly onDue: (hex: string, item: Item) => void;
}

interface Deferred<Item> {
  readonly item: Item;
  readonly waitMs: number;
  dueMs: number;
}

/** The caller bounds how many there are. */
export function createDeferredByChunk<Item>({ clock, isUnneeded, onDue }: DeferredParts<Item>): DeferredByChunk<Item> {
  const deferred = new Map<string, Deferred<Item>>();
  /** For the earliest: waits follow the block interval, so they differ. */
  let nextCheck: { readonly atMs: number; readonly cancel: () => void } | undefined;

  function scheduleCheck(atMs: number): void {
    if (nextCheck !== undefined && nextCheck.atMs <= atMs) return;
    nextCheck?.cancel();
    nextCheck = { atMs, cancel: clock.after(Math.max(0, atMs - clock.monotonicMs()), checkDue) };
  }

  function checkDue(): void {
    nextCheck = undefined;
    const nowMs = clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [hex, each] of deferred) {
      const isDue = each.dueMs <= nowMs;
      if (isDue && isUnneeded(hex)) each.dueMs = nowMs + Math.max(1, each.waitMs);
      else if (isDue) {
        deferred.delete(hex);
        onDue(hex, each.item);
        continue;
      }
      nextMs = Math.min(nextMs, each.dueMs);
    }
    if (nextMs < Number.POSITIVE_INFINITY) scheduleCheck(nextMs);
  }

  return {
    add(hex, item, waitMs) {
      const dueMs = clock.monotonicMs() + waitMs;
      deferred.set(hex, { item, waitMs, dueMs });
      scheduleCheck(dueMs);
    },
    has: (hex) => deferred.has(hex),
    take(hex) {
      const known = deferred.get(hex);
      deferred.delete(hex);
      return known?.item;
    },
    takeAll() {
      const all = [...deferred.values()].map(({ item }) => item);
      deferred.clear();
      return all;
    },
    forget: (hex) => void deferred.delete(hex),
    get size() {
      return deferred.size;
    },
    stop() {
      nextCheck?.cancel();
      deferred.clear();
    },
  };
}
