/** Nullified views, grouped by leader and reason, so that a leader that fails repeatedly is one row. */
import type { ViewRow } from '../../stream/snapshot.ts';

export interface NullifiedGroup {
  readonly leader: number | null;
  /** Null when unknown; the leader is unknown then too. */
  readonly reason: string | null;
  readonly times: number;
  readonly lastView: number;
}

/** Most frequent first. */
export function groupNullified(views: readonly ViewRow[]): readonly NullifiedGroup[] {
  const groups = new Map<string, NullifiedGroup>();
  for (const { view, leader, nullified } of views) {
    if (nullified === null) continue;
    const key = `${leader}/${nullified.reason}`;
    const times = (groups.get(key)?.times ?? 0) + 1;
    groups.set(key, { leader, reason: nullified.reason, times, lastView: view });
  }
  return [...groups.values()].sort((a, b) => b.times - a.times || (a.leader ?? 0) - (b.leader ?? 0));
}
