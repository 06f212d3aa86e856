/**
 * Recent ends: which transactions left the pool lately, and how. So that a copy that comes late is known, and whoever asks is
 * told what became of it.
 *
 * Included ones are remembered for the longest life of a transaction by block timestamp (EXECUTED time: dissemination.md);
 * after that no block can execute a copy.
 */
import { TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import type { SessionReason } from './session-messages.ts';

export type EndReason = 'expired' | 'max-fee-too-low' | 'fee-not-covered' | SessionReason;

export interface Recent {
  included(ids: readonly string[], timestampMs: number): void;
  dropped(id: string, reason: EndReason): void;
  isIncluded(id: string): boolean;
  dropReason(id: string): EndReason | undefined;
}

export function createRecent({ dropsMax }: { readonly dropsMax: number }): Recent {
  const includedIds = new Set<string>();
  const blocks: { readonly timestampMs: number; readonly ids: readonly string[] }[] = [];
  const drops = new Map<string, EndReason>();

  return {
    included(ids, timestampMs) {
      blocks.push({ timestampMs, ids });
      for (const id of ids) includedIds.add(id);
      while (blocks[0] !== undefined && blocks[0].timestampMs + TRANSACTION_LIFE_MS_MAX <= timestampMs) {
        for (const id of (blocks.shift() as (typeof blocks)[0]).ids) includedIds.delete(id);
      }
    },
    dropped(id, reason) {
      drops.set(id, reason);
      if (drops.size > dropsMax) drops.delete(drops.keys().next().value as string);
    },
    isIncluded: (id) => includedIds.has(id),
    dropReason: (id) => drops.get(id),
  };
}
