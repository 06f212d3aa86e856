/** Earliest first; at one instant in the order of scheduling. */
export interface ScheduledEvent {
  readonly atMs: number;
  /** Counts up, so the order is total. */
  readonly order: number;
  /** Undefined: cancelled. */
  action: (() => void) | undefined;
}

interface EventHeap {
  push(event: ScheduledEvent): void;
  peek(): ScheduledEvent | undefined;
  pop(): ScheduledEvent | undefined;
}

/** A binary heap. A cancelled event is dropped at the top. */
export function createEventHeap(): EventHeap {
  const heap: ScheduledEvent[] = [];

  function push(event: ScheduledEvent): void {
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt] as ScheduledEvent;
      if (isBefore(parent, event)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = event;
  }

  function removeTop(): ScheduledEvent | undefined {
    const top = heap[0];
    const moved = heap.pop();
    if (moved === undefined || moved === top) return top;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as ScheduledEvent)) child++;
      const smaller = heap[child] as ScheduledEvent;
      if (isBefore(moved, smaller)) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = moved;
    return top;
  }

  function peek(): ScheduledEvent | undefined {
    while (heap.length > 0 && heap[0]?.action === undefined) removeTop();
    return heap[0];
  }

  return {
    push,
    peek,
    pop() {
      peek();
      return removeTop();
    },
  };
}

function isBefore(a: ScheduledEvent, b: ScheduledEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
