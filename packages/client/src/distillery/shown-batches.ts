/** Batches that a broker showed: what their outcomes are compared with. Those of ended rows are forgotten, oldest first above the bound. */
import { toHex } from '@slipstream/primitives';
import type { OwnPlace } from './header-check.ts';

/** A gateway sees twenty a second; outcomes come within seconds, or never. */
const BATCHES_MAX = 2_048;

export interface ShownBatches {
  /** False: it was shown before. */
  add(batchId: Uint8Array, places: readonly OwnPlace[]): boolean;
  /** Once: a batch has outcomes once. */
  take(batchId: Uint8Array): readonly OwnPlace[] | undefined;
  clear(): void;
}

export function createShownBatches(): ShownBatches {
  const shown = new Map<string, readonly OwnPlace[]>();
  return {
    add(batchId, places) {
      const id = toHex(batchId);
      if (shown.has(id)) return false;
      if (shown.size >= BATCHES_MAX) shown.delete(shown.keys().next().value as string);
      shown.set(id, places);
      return true;
    },
    take(batchId) {
      const id = toHex(batchId);
      const places = shown.get(id);
      shown.delete(id);
      return places;
    },
    clear() {
      shown.clear();
    },
  };
}
