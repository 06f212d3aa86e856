/** Views that were given up, by leader and reason: one leader that fails again and again is one line. */
import type { ViewRow } from '../../stream/snapshot.ts';

export interface GivenUp {
  readonly leader: number | null;
  /** Null: not known, as is the leader then. */
  readonly reason: string | null;
  readonly times: number;
  readonly lastView: number;
}

/** Most frequent first. */
export function givenUp(views: readonly ViewRow[]): readonly GivenUp[] {
  const groups = new Map<string, GivenUp>();
  for (const { view, leader, nullified } of views) {
    if (nullified === null) continue;
    const key = `${leader}/${nullified.reason}`;
    const times = (groups.get(key)?.times ?? 0) + 1;
    groups.set(key, { leader, reason: nullified.reason, times, lastView: view });
  }
  return [...groups.values()].sort((a, b) => b.times - a.times || (a.leader ?? 0) - (b.leader ?? 0));
}
