/** Chunks by the height of the block that needs them: the lowest first, then the oldest. */

export interface ChunksByHeight {
  add(hex: string, height: number): void;
  /** False: it was not here. */
  delete(hex: string, height: number): boolean;
  lowest(): { readonly hex: string; readonly height: number } | undefined;
}

export function createChunksByHeight(): ChunksByHeight {
  /** Heights are few: consensus bounds the blocks above the committed one. */
  const byHeight = new Map<number, Set<string>>();

  return {
    add(hex, height) {
      const chunks = byHeight.get(height) ?? new Set();
      byHeight.set(height, chunks.add(hex));
    },
    delete(hex, height) {
      const chunks = byHeight.get(height);
      if (chunks === undefined || !chunks.delete(hex)) return false;
      if (chunks.size === 0) byHeight.delete(height);
      return true;
    },
    lowest() {
      let height = Number.POSITIVE_INFINITY;
      for (const each of byHeight.keys()) if (each < height) height = each;
      const [hex] = byHeight.get(height) ?? [];
      return hex === undefined ? undefined : { hex, height };
    },
  };
}
