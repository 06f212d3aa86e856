/**
 * Flow: what became of arrived transactions. The counts always add up.
 *
 *   arrived = known + refused + dropped + executed + waiting
 *             (known, refused: by intake;  dropped, executed: out of the pool;  waiting: in checks, or in the pool)
 */

import type { RejectReason } from '../intake/submit-result.ts';
import type { EndReason } from '../pool/recent-outcomes.ts';

/** `unchecked`: the verifier failed. */
type RefusedReason = RejectReason | 'unchecked';
/** Why it left the pool unexecuted; `duplicate`: the chain had it. */
type LostReason = EndReason | 'duplicate';

export interface FlowCounts {
  readonly fromClients: number;
  readonly fromPeers: number;
  /** In the pool or on the chain. */
  readonly known: number;
  readonly refused: Readonly<Partial<Record<RefusedReason, number>>>;
  readonly executed: number;
  readonly dropped: Readonly<Partial<Record<LostReason, number>>>;
}

export interface Flow {
  arrived(from: 'client' | 'peer'): void;
  known(): void;
  refused(reason: RefusedReason, by?: number): void;
  executed(): void;
  dropped(reason: LostReason): void;
  counts(): FlowCounts;
}

export function createFlow(): Flow {
  const counts = { fromClients: 0, fromPeers: 0, known: 0, executed: 0 };
  const refused: Partial<Record<RefusedReason, number>> = {};
  const dropped: Partial<Record<LostReason, number>> = {};
  return {
    arrived(from) {
      if (from === 'client') counts.fromClients++;
      else counts.fromPeers++;
    },
    known: () => void counts.known++,
    refused(reason, by = 1) {
      refused[reason] = (refused[reason] ?? 0) + by;
    },
    executed: () => void counts.executed++,
    dropped(reason) {
      dropped[reason] = (dropped[reason] ?? 0) + 1;
    },
    counts: () => ({ ...counts, refused: { ...refused }, dropped: { ...dropped } }),
  };
}
