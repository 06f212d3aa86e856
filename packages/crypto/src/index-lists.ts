/** Doubly linked lists over indices below `entries`, in an Int32Array: no allocation, constant time. */
interface IndexLists {
  /** The index must be in no list. */
  pushFront(list: number, index: number): void;
  remove(index: number): void;
  last(list: number): number | undefined;
}

/** Links are at `index * stride + offset`: beside the entry's other data they cost no cache miss. */
export interface LinkPlace {
  readonly memory: Int32Array;
  readonly stride: number;
  readonly offset: number;
}

const NEXT = 0;
const PREVIOUS = 1;
export const LINK_WORDS = 2;

/** Each list has a sentinel behind the entries: the memory must fit entries + lists. */
export function createIndexLists(entries: number, lists: number, { memory, stride, offset }: LinkPlace): IndexLists {
  const next = offset + NEXT;
  const previous = offset + PREVIOUS;
  for (let sentinel = entries; sentinel < entries + lists; sentinel++) {
    memory[sentinel * stride + next] = sentinel;
    memory[sentinel * stride + previous] = sentinel;
  }

  function pushFront(list: number, index: number): void {
    const sentinel = entries + list;
    const first = memory[sentinel * stride + next] as number;
    memory[index * stride + next] = first;
    memory[index * stride + previous] = sentinel;
    memory[first * stride + previous] = index;
    memory[sentinel * stride + next] = index;
  }

  function remove(index: number): void {
    const before = memory[index * stride + previous] as number;
    const after = memory[index * stride + next] as number;
    memory[before * stride + next] = after;
    memory[after * stride + previous] = before;
  }

  function last(list: number): number | undefined {
    const index = memory[(entries + list) * stride + previous] as number;
    return index < entries ? index : undefined;
  }

  return { pushFront, remove, last };
}
