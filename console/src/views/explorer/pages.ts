/** Pages of a list: remembers the cursors of earlier pages, to go back. */
import { useState } from 'react';

export interface Paging {
  readonly cursor: string | undefined;
  readonly first: boolean;
  next(cursor: string): void;
  previous(): void;
}

export function usePaging(): Paging {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    cursor: cursors.at(-1),
    first: cursors.length === 0,
    next: (cursor) => setCursors([...cursors, cursor]),
    previous: () => setCursors(cursors.slice(0, -1)),
  };
}
