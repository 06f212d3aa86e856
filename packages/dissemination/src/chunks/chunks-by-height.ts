/** Chunks by the height of the block that needs them: the lowest first, then the oldest. */

interface ChunksByHeight {
  add(hex: string, height: number): void;
  delete(hex: string, height: number): void;
  /** No effect if it is not here. */
  move(hex: string, from: number, to: number): void;
  lowest(): { readonly hex: string; readonly height: number } | undefined;
}

export function createChunksByHeight(): ChunksByHeight {
  /** Heights are few: consensus bounds the blocks above the committed one. */
  const byHeight = new Map<number, Set<string>>();

  function add(hex: string, height: number): void {
    const chunks = byHeight.get(height) ?? new Set();
    byHeight.set(height, chunks.add(hex));
  }

  function take(hex: string, height: number): boolean {
    const chunks = byHeight.get(height);
    if (chunks === undefined || !chunks.delete(hex)) return false;
    if (chunks.size === 0) byHeight.delete(height);
    return true;
  }

  return {
    add,
    delete: (hex, height) => void take(hex, height),
    move(hex, from, to) {
      if (take(hex, from)) add(hex, to);
    },
    lowest() {
      let height = Number.POSITIVE_INFINITY;
      for (const each of byHeight.keys()) if (each < height) height = each;
      const [hex] = byHeight.get(height) ?? [];
      return hex === undefined ? undefined : { hex, height };
    },
  };
}
