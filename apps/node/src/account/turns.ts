/** Nodes that could send the same take turns, so that mostly one of them pays: members by index, full nodes after all of them. */
import type { Random } from '@slipstream/ports';

/** Of the current committee; `self` is undefined on a node that follows. */
export interface Place {
  readonly self: number | undefined;
  readonly members: number;
}

/** What is sent is in the state well within a turn. */
export const TURN_MS = 4_000;
/** Larger committees share turns. */
const TURNS_MAX = 32;

/** `offset`: of the matter, so that not the same member is always first. */
export function turnOf({ self, members }: Place, offset: number, random: Pick<Random, 'below'>): number {
  const turns = Math.min(TURNS_MAX, members);
  return self === undefined ? turns + random.below(TURNS_MAX) : (self + offset) % turns;
}
