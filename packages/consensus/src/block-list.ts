/**
 * Block list: members whose frames are not accepted.
 *
 * INVARIANT: 3 * blocked weight < W, so the rest can form a quorum. More offenders mean that this node itself is wrong. Further
 * offenders become suspects: their votes are checked one by one (signatures.md, "Blocking").
 */
import { type Committee, isBlocking, weightOf } from '@slipstream/types';

type BlockDecision = 'blocked' | 'already' | 'suspect';

export interface BlockList {
  block(member: number): BlockDecision;
  /** Called by an operator. */
  lift(member: number): void;
  isBlocked(member: number): boolean;
  isSuspect(member: number): boolean;
  readonly blocked: readonly number[];
  readonly suspects: number;
  readonly state: BlockListState;
}

/** Plain data. */
export interface BlockListState {
  readonly blocked: Set<number>;
  readonly suspects: Set<number>;
}

export function createBlockList(
  committee: Committee,
  state: BlockListState = { blocked: new Set(), suspects: new Set() },
): BlockList {
  const { blocked, suspects } = state;
  return {
    block(member) {
      if (blocked.has(member)) return 'already';
      const weight = weightOf(blocked, committee) + weightOf([member], committee);
      if (isBlocking(weight, committee) || 3 * weight === committee.totalWeight) {
        suspects.add(member);
        return 'suspect';
      }
      blocked.add(member);
      return 'blocked';
    },
    lift(member) {
      blocked.delete(member);
      suspects.delete(member);
    },
    isBlocked: (member) => blocked.has(member),
    isSuspect: (member) => suspects.has(member),
    get suspects() {
      return suspects.size;
    },
    get blocked() {
      return [...blocked].sort((a, b) => a - b);
    },
    state,
  };
}
