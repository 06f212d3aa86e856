import { Badge } from '../design/badge.tsx';
import type { CertificateVerdict } from './live-message.ts';

/** Undefined: not verified here, or not yet. */
export function VerdictBadge({ verdict }: { readonly verdict: CertificateVerdict | undefined }) {
  if (verdict === undefined) return <Badge tone="plain">not verified here</Badge>;
  if (verdict === 'verified') return <Badge tone="good">verified</Badge>;
  if (verdict === 'missing') return <Badge tone="plain">none here</Badge>;
  return (
    <span title={verdict.fault}>
      <Badge tone="bad">refused</Badge>
    </span>
  );
}
