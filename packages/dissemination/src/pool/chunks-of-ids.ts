/** The pending chunks of each transaction. Nearly all have one, so only the others get a list. */
interface ChunksOfIds {
  add(id: string, chunk: string): void;
  /** True: no chunk has the transaction any more. */
  remove(id: string, chunk: string): boolean;
  has(id: string): boolean;
  of(id: string): readonly string[];
}

export function createChunksOfIds(): ChunksOfIds {
  const first = new Map<string, string>();
  const further = new Map<string, string[]>();

  function promote(id: string): boolean {
    const rest = further.get(id);
    const next = rest?.shift();
    if (next === undefined) return first.delete(id);
    first.set(id, next);
    if (rest?.length === 0) further.delete(id);
    return false;
  }

  function removeFurther(id: string, chunk: string): void {
    const rest = further.get(id)?.filter((other) => other !== chunk) ?? [];
    if (rest.length > 0) further.set(id, rest);
    else further.delete(id);
  }

  return {
    add(id, chunk) {
      if (!first.has(id)) first.set(id, chunk);
      else further.set(id, [...(further.get(id) ?? []), chunk]);
    },
    remove(id, chunk) {
      if (first.get(id) === chunk) return promote(id);
      removeFurther(id, chunk);
      return !first.has(id);
    },
    has: (id) => first.has(id),
    of(id) {
      const chunk = first.get(id);
      return chunk === undefined ? [] : [chunk, ...(further.get(id) ?? [])];
    },
  };
}
