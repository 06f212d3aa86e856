/** One core of four that leads neither of the first two views, and what tests of rules ask of it. */
import type { Certificate } from '@slipstream/types';
import type { CoreWorld } from './core-world.ts';

export const ALL: readonly number[] = [0, 1, 2, 3];

export interface Bystander {
  /** Leaders of the first two views. */
  readonly first: number;
  readonly second: number;
  readonly node: number;
  readonly others: readonly number[];
}

export function bystander(world: CoreWorld): Bystander {
  const [first, second] = [world.leaderOf(1), world.leaderOf(2)] as const;
  const node = ALL.find((member) => member !== first && member !== second) as number;
  return { first, second, node, others: ALL.filter((member) => member !== node) };
}

export function kinds(world: CoreWorld, member: number): readonly string[] {
  return world.votes(member).map(({ kind }) => kind);
}

export function give(world: CoreWorld, to: number, from: number, ...certificates: readonly Certificate[]): void {
  world.give(to, from, { certificates });
}
