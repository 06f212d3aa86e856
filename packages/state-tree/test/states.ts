/** States, random changes of them, and trees over them. */
import { toHex } from '@slipstream/primitives';
import { type ChangeColumns, openStateTree, type StateTree } from '../src/index.ts';
import type { State } from './plain-tree.ts';

/** In hexadecimal; undefined deletes. */
export type Changes = ReadonlyMap<string, Uint8Array | undefined>;

export function columnsOf(changes: Changes): ChangeColumns {
  const parts = [...changes].flatMap(([key, value]) => [Buffer.from(key, 'hex'), value ?? new Uint8Array()]);
  return {
    bytes: Buffer.concat(parts),
    keyBytes: Uint8Array.from(changes.keys(), (key) => key.length / 2),
    valueBytes: Int32Array.from(changes.values(), (value) => value?.length ?? -1),
  };
}

export function changed(state: State, changes: Changes): State {
  const next = new Map(state);
  for (const [key, value] of changes) {
    if (value === undefined) next.delete(key);
    else next.set(key, value);
  }
  return next;
}

export function treeOf(state: State, blocksMax = 64, pauses = { count: 0 }): Promise<StateTree> {
  const secret = new Uint8Array(32).fill(7);
  const pause = async () => {
    pauses.count += 1;
  };
  return openStateTree({ secret, pause }, { block: 'genesis', entries: [columnsOf(state)], blocksMax });
}

/** Repeatable. */
export function createChance(seed: number): (bound: number) => number {
  let at = seed;
  return (bound) => {
    at = (Math.imul(at, 1664525) + 1013904223) >>> 0;
    return Math.floor((at / 2 ** 32) * bound);
  };
}

/** Keys of 1 to 63 bytes, another one for each number. */
export function keyOf(number: number): string {
  const key = new Uint8Array(4 + (number % 60));
  new DataView(key.buffer).setUint32(0, number);
  return toHex(key);
}

export function randomValue(chance: (bound: number) => number): Uint8Array {
  const length = [0, 16, 16, 24, 31, 32, 159][chance(7)] as number;
  return Uint8Array.from({ length }, () => chance(256));
}

export interface Mix {
  readonly keys: number;
  readonly count: number;
  /** Of a hundred changes of keys that are there. */
  readonly deletes: number;
}

export function randomChanges(state: State, chance: (bound: number) => number, mix: Mix): Changes {
  const changes = new Map<string, Uint8Array | undefined>();
  while (changes.size < Math.min(mix.count, mix.keys)) {
    const key = keyOf(chance(mix.keys));
    changes.set(key, state.has(key) && chance(100) < mix.deletes ? undefined : randomValue(chance));
  }
  return changes;
}
