import type { Telemetry } from '@slipstream/ports';
import type { AuthorityFault } from '@slipstream/types';
import type { SessionReason } from '../intake/session-messages.ts';

export type DropReason =
  | 'malformed'
  | 'wrong-genesis'
  | AuthorityFault
  | 'expired'
  | 'expiry-too-far'
  | 'max-fee-too-low'
  | 'fee-not-covered'
  | 'call-quarantined'
  | 'over-limit'
  | 'sender-limit'
  | 'peer-limit'
  | 'pool-full'
  | 'congested'
  | 'verification-limit'
  | SessionReason
  | 'chunk-malformed'
  | 'chunk-foreign-epoch'
  | 'chunk-closed-epoch'
  | 'chunk-not-from-producer'
  | 'chunk-expired'
  | 'chunk-too-early'
  | 'chunk-invalid'
  | 'chunk-bad-signature'
  | 'chunk-equivocation'
  | 'chunk-quota'
  | 'certificate-not-from-validator'
  | 'certificate-foreign-epoch'
  | 'certificate-quota'
  | 'forward-refused'
  | 'noted-block';

export interface DropCounter {
  add(reason: DropReason, by?: number): void;
  counts(): Readonly<Partial<Record<DropReason, number>>>;
}

export function createDropCounter(telemetry: Telemetry): DropCounter {
  const counts: Partial<Record<DropReason, number>> = {};
  // Scrapers see the counter before its first event.
  telemetry.count('dissemination_dropped_total', 0, { reason: 'expired' });
  return {
    add(reason, by = 1) {
      counts[reason] = (counts[reason] ?? 0) + by;
      telemetry.count('dissemination_dropped_total', by, { reason });
    },
    counts: () => ({ ...counts }),
  };
}
