import { Badge } from '../design/badge.tsx';

/** Null: both certificates hold. */
export function VerdictBadge({ fault }: { readonly fault: string | null }) {
  if (fault === null) return <Badge tone="good">verified</Badge>;
  return (
    <span title={fault}>
      <Badge tone="bad">refused</Badge>
    </span>
  );
}
