/** Doubly linked lists over the indices 0 to entries - 1, in an Int32Array: no allocation, constant time. */
interface IndexLists {
  /** The index must be in no list. */
  pushFront(list: number, index: number): void;
  remove(index: number): void;
  /** The index at the back; undefined when the list is empty. */
  last(list: number): number | undefined;
}

/** The two links of an index are at `index * stride + offset`. Placed beside the entry's other data, they cost no cache miss. */
interface LinkPlace {
  readonly memory: Int32Array;
  readonly stride: number;
  readonly offset: number;
}

const NEXT = 0;
const PREVIOUS = 1;
export const LINK_WORDS = 2;

/** Each list has a sentinel behind the entries, so the memory must fit entries + lists. Sentinels avoid special cases. */
export function createIndexLists(entries: number, lists: number, place?: LinkPlace): IndexLists {
  const { memory, stride, offset } = place ?? {
    memory: new Int32Array(LINK_WORDS * (entries + lists)),
    stride: LINK_WORDS,
    offset: 0,
  };
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
