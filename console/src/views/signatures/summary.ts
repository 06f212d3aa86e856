import type { QuorumCheck } from '../../stream/snapshot.ts';

export interface CheckSummary {
  readonly checks: number;
  readonly perSecond: number | null;
  readonly votesPerCheck: number | null;
  readonly ms: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
}

export interface KindSummary extends CheckSummary {
  readonly kind: string;
}

/** Newest last. The rate is from first to last. */
export function summarize(checks: readonly QuorumCheck[]): CheckSummary {
  const first = checks[0];
  const last = checks.at(-1);
  if (first === undefined || last === undefined) return { checks: 0, perSecond: null, votesPerCheck: null, ms: null };
  const spanMs = last.atMs - first.atMs;
  const times = checks.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    checks: checks.length,
    perSecond: spanMs > 0 ? ((checks.length - 1) / spanMs) * 1_000 : null,
    votesPerCheck: checks.reduce((sum, { votes }) => sum + votes, 0) / checks.length,
    ms: { p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99) },
  };
}

/** Alphabetical, so that rows keep their places. */
export function summarizeKinds(checks: readonly QuorumCheck[]): readonly KindSummary[] {
  const kinds = [...new Set(checks.map(({ kind }) => kind))].sort();
  return kinds.map((kind) => ({ kind, ...summarize(checks.filter((check) => check.kind === kind)) }));
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
