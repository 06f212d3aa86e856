/** Text put into a source at places of its syntax tree. */

export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Begins and ends of things that may nest. Begins are added from the outside in, ends from the inside out. */
interface Insertions {
  readonly begins: readonly Insertion[];
  readonly ends: readonly Insertion[];
}

/** At one place, ends come before begins, and all in the order in which they were added. */
export function insertAll(text: string, { begins, ends }: Insertions): string {
  const all = [...ends, ...begins].sort((a, b) => a.at - b.at);
  const parts: string[] = [];
  let from = 0;
  for (const { at, text: added } of all) {
    parts.push(text.slice(from, at), added);
    from = at;
  }
  return [...parts, text.slice(from)].join('');
}
