/**
 * What the state remembers of a validator as a leader (epochs.md, "Leader reputation").
 *
 *   leads --3 lost turns in a row--> due --sealed--> benched --blocks, then readiness: sealed--> on probation --blocks--> leads
 *                                     ^                                                           |
 *                                     \---------------------- 1 lost turn ------------------------/
 */
import { BooleanType, ContainerType } from '@slipstream/primitives';
import { uint8, uint16, uint53 } from '@slipstream/types';

export interface Reputation {
  /** Since its last block. One block shows one lost turn of a member at most. */
  readonly lostTurns: number;
  /** It has lost enough, and made no block since. */
  readonly due: boolean;
  /** In the newest record. */
  readonly benched: boolean;
  /** Its node reported readiness, late enough. */
  readonly ready: boolean;
  /** So that it is in the queue of changes once. */
  readonly queued: boolean;
  /** Of the last bench; 0: none. */
  readonly benchBlocks: number;
  /** While benched: its readiness counts from this height on. After that: its probation ends here. */
  readonly untilHeight: number;
}

export const FRESH_REPUTATION: Reputation = {
  lostTurns: 0,
  due: false,
  benched: false,
  ready: false,
  queued: false,
  benchBlocks: 0,
  untilHeight: 0,
};

/** A member that is down costs as many views; one that fails now and then keeps its turns. */
const LOST_TURNS_MAX = 3;
const BENCH_BLOCKS = 1024;
const BENCH_BLOCKS_MAX = 16_384;

export const reputationType = new ContainerType({
  lostTurns: uint8,
  due: new BooleanType(),
  benched: new BooleanType(),
  ready: new BooleanType(),
  queued: new BooleanType(),
  benchBlocks: uint16,
  untilHeight: uint53,
});

/** The block at this height shows that the validator lost its turn. */
export function afterLostTurn(reputation: Reputation, height: number): Reputation {
  const lostTurns = Math.min(reputation.lostTurns + 1, LOST_TURNS_MAX);
  const limit = isOnProbation(reputation, height) ? 1 : LOST_TURNS_MAX;
  return { ...reputation, lostTurns, due: reputation.due || lostTurns >= limit };
}

export function afterOwnBlock(reputation: Reputation): Reputation {
  return { ...reputation, lostTurns: 0, due: false };
}

/** `height`: of the sealing block. */
export function afterSeal(reputation: Reputation, benched: boolean, height: number): Reputation {
  if (benched === reputation.benched) return reputation;
  const { benchBlocks } = reputation;
  if (!benched) return { ...FRESH_REPUTATION, benchBlocks, untilHeight: height + benchBlocks };
  const blocks = isOnProbation(reputation, height) ? Math.min(2 * benchBlocks, BENCH_BLOCKS_MAX) : BENCH_BLOCKS;
  return { ...FRESH_REPUTATION, benched, queued: true, benchBlocks: blocks, untilHeight: height + blocks };
}

/** Whether readiness that is reported at this height brings the validator back. */
export function awaitsReadiness({ benched, ready, untilHeight }: Reputation, height: number): boolean {
  return benched && !ready && height >= untilHeight;
}

function isOnProbation({ benched, benchBlocks, untilHeight }: Reputation, height: number): boolean {
  return !benched && benchBlocks > 0 && height <= untilHeight;
}
