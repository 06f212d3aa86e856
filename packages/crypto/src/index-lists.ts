/** Doubly linked lists over the indices 0 to entries - 1, in typed arrays: no allocation, every operation constant. */
export interface IndexLists {
  /** Puts an index that is in no list at the front of one. */
  pushFront(list: number, index: number): void;
  /** Takes an index out of its list. */
  remove(index: number): void;
  /** The index at the back; undefined when the list is empty. */
  last(list: number): number | undefined;
}

/** Each list has a sentinel behind the entries: lists need no special cases when they are empty. */
export function createIndexLists(entries: number, lists: number): IndexLists {
  const next = new Int32Array(entries + lists);
  const previous = new Int32Array(entries + lists);
  for (let sentinel = entries; sentinel < entries + lists; sentinel++) {
    next[sentinel] = sentinel;
    previous[sentinel] = sentinel;
  }

  function pushFront(list: number, index: number): void {
    const sentinel = entries + list;
    const first = next[sentinel] as number;
    next[index] = first;
    previous[index] = sentinel;
    previous[first] = index;
    next[sentinel] = index;
  }

  function remove(index: number): void {
    const before = previous[index] as number;
    const after = next[index] as number;
    next[before] = after;
    previous[after] = before;
  }

  function last(list: number): number | undefined {
    const index = previous[entries + list] as number;
    return index < entries ? index : undefined;
  }

  return { pushFront, remove, last };
}
