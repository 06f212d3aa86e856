/** When something may be sent again: at once, then after waits that double, without an end as long as it is needed. */
import type { Clock } from '@slipstream/ports';

const FIRST_WAIT_MS = 10_000;
const WAIT_MS_MAX = 600_000;

export interface Attempts {
  isDue(what: string): boolean;
  tried(what: string): void;
  /** Forgets all others. */
  retain(wanted: ReadonlySet<string>): void;
}

export function createAttempts({ monotonicMs }: Pick<Clock, 'monotonicMs'>): Attempts {
  const waits = new Map<string, { readonly waitMs: number; readonly fromMs: number }>();
  return {
    isDue: (what) => monotonicMs() >= (waits.get(what)?.fromMs ?? 0),
    tried(what) {
      const before = waits.get(what);
      const waitMs = before === undefined ? FIRST_WAIT_MS : Math.min(WAIT_MS_MAX, 2 * before.waitMs);
      waits.set(what, { waitMs, fromMs: monotonicMs() + waitMs });
    },
    retain(wanted) {
      for (const what of waits.keys()) if (!wanted.has(what)) waits.delete(what);
    },
  };
}
