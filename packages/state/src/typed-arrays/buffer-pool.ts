/** A few unused buffers for reuse. */
interface BufferPool<T> {
  /** Removes and returns the smallest buffer of at least `least` and at most `most`. */
  take(least: number, most?: number): T | undefined;
  takeLargest(): T | undefined;
  /** The caller must not use the buffer afterwards. */
  put(buffer: T): void;
}

interface BufferPoolLimits {
  readonly countMax: number;
  /** Of all buffers together. */
  readonly sizeMax: number;
}

/** A full pool drops its smallest buffers, because a large one serves a small batch too. */
export function createBufferPool<T>(
  sizeOf: (buffer: T) => number,
  { countMax, sizeMax }: BufferPoolLimits,
): BufferPool<T> {
  /** Ascending by size. */
  const buffers: T[] = [];
  let size = 0;

  function removeAt(index: number): T | undefined {
    const [taken] = buffers.splice(index, 1);
    if (taken !== undefined) size -= sizeOf(taken);
    return taken;
  }

  return {
    take(least, most = Number.POSITIVE_INFINITY) {
      const index = buffers.findIndex((each) => sizeOf(each) >= least);
      return index >= 0 && sizeOf(buffers[index] as T) <= most ? removeAt(index) : undefined;
    },
    takeLargest: () => removeAt(buffers.length - 1),
    put(buffer) {
      const own = sizeOf(buffer);
      if (own === 0 || own > sizeMax) return;
      const larger = buffers.findIndex((each) => sizeOf(each) >= own);
      buffers.splice(larger < 0 ? buffers.length : larger, 0, buffer);
      size += own;
      while (buffers.length > countMax || size > sizeMax) removeAt(0);
    },
  };
}
