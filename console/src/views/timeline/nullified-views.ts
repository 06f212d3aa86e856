/** Nullified views by leader and reason, so that a failing leader is one row. */
import type { ViewRow } from '../../stream/snapshot.ts';

export interface NullifiedGroup {
  readonly leader: number | null;
  /** Null: unknown, like the leader. */
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
