/**
 * From the root down to the buckets of some rows, level by level, so that the loads of a level do not wait for each other.
 *
 *   touched[d]   the nodes at depth d on the way, and their slots
 *   ends         where ways end, and the rows that lead there
 */
import { DEPTH_MAX } from './forms.ts';
import { createIntList, type IntList, push } from './int-list.ts';
import { type NodeMemory, ROOT_SLOT } from './node-memory.ts';
import { ROW_WORDS, rowBit } from './rows.ts';

export interface Level {
  readonly nodes: IntList;
  readonly slots: IntList;
}

interface Ranges {
  readonly slots: IntList;
  readonly from: IntList;
  readonly to: IntList;
}

export interface Ends extends Ranges {
  readonly depths: IntList;
}

interface Descent {
  readonly touched: readonly Level[];
  readonly ends: Ends;
  run(rows: Uint32Array, from: number, to: number): void;
}

const createRanges = (): Ranges => ({ slots: createIntList(), from: createIntList(), to: createIntList() });

export function createDescent(nodes: NodeMemory): Descent {
  const touched: readonly Level[] = Array.from({ length: DEPTH_MAX + 1 }, () => ({
    nodes: createIntList(),
    slots: createIntList(),
  }));
  const ends: Ends = { slots: createIntList(), from: createIntList(), to: createIntList(), depths: createIntList() };
  let [current, below] = [createRanges(), createRanges()];

  function descend(rows: Uint32Array, depth: number): void {
    const { slots, from, to } = current;
    for (let i = 0; i < slots.length; i++) {
      const [slot, first, last] = [slots.values[i] as number, from.values[i] as number, to.values[i] as number];
      const node = nodes.refOf(slot);
      if (node <= 0) {
        add(ends, slot, first, last);
        push(ends.depths, depth);
        continue;
      }
      const level = touched[depth] as Level;
      push(level.nodes, node);
      push(level.slots, slot);
      const middle = firstRight(rows, first, last, depth);
      if (first < middle) add(below, 2 * node, first, middle);
      if (middle < last) add(below, 2 * node + 1, middle, last);
    }
  }

  return {
    touched,
    ends,
    run(rows, from, to) {
      for (const level of touched) level.nodes.length = level.slots.length = 0;
      for (const list of Object.values(ends) as IntList[]) list.length = 0;
      clear(current);
      add(current, ROOT_SLOT, from, to);
      for (let depth = 0; current.slots.length > 0; depth++) {
        clear(below);
        nodes.load(current.slots);
        descend(rows, depth);
        [current, below] = [below, current];
      }
    },
  };
}

function add({ slots, from, to }: Ranges, slot: number, first: number, last: number): void {
  push(slots, slot);
  push(from, first);
  push(to, last);
}

function clear({ slots, from, to }: Ranges): void {
  slots.length = from.length = to.length = 0;
}

/** The first of the sorted rows whose way leads right; `to` if none does. */
export function firstRight(rows: Uint32Array, from: number, to: number, depth: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rowBit(rows, middle * ROW_WORDS, depth) === 1) high = middle;
    else low = middle + 1;
  }
  return low;
}
