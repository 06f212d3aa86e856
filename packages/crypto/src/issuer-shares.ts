/** Cache entries by issuer, in order: a flood evicts only its issuer's own entries. */
import { createIndexLists } from './index-lists.ts';

interface IssuerShares {
  /** Undefined: the issuer may add more. */
  oldestOfFull(issuer: string | undefined): number | undefined;
  enter(entry: number, issuer: string | undefined): void;
  leave(entry: number): void;
  readonly bytesPerEntry: number;
}

const NO_ISSUER = -1;

export function createIssuerShares(entriesMax: number, entriesPerIssuerMax: number): IssuerShares {
  /** Only an issuer with an entry has a list, so there are never more lists than entries. */
  const lists = createIndexLists(entriesMax, entriesMax);
  const listOf = new Map<string, number>();
  const nameOf: (string | undefined)[] = new Array(entriesMax).fill(undefined);
  const held = new Int32Array(entriesMax);
  const issuerOf = new Int32Array(entriesMax).fill(NO_ISSUER);
  const freeLists = Int32Array.from({ length: entriesMax }, (_, list) => entriesMax - 1 - list);
  let free = entriesMax;

  function oldestOfFull(issuer: string | undefined): number | undefined {
    const list = issuer === undefined ? undefined : listOf.get(issuer);
    return list === undefined || (held[list] as number) < entriesPerIssuerMax ? undefined : lists.last(list);
  }

  function enter(entry: number, issuer: string | undefined): void {
    if (issuer === undefined) return;
    const list = listOf.get(issuer) ?? open(issuer);
    lists.pushFront(list, entry);
    held[list] = (held[list] as number) + 1;
    issuerOf[entry] = list;
  }

  function open(issuer: string): number {
    const list = freeLists[--free] as number;
    listOf.set(issuer, list);
    nameOf[list] = issuer;
    return list;
  }

  function leave(entry: number): void {
    const list = issuerOf[entry] as number;
    if (list === NO_ISSUER) return;
    issuerOf[entry] = NO_ISSUER;
    lists.remove(entry);
    held[list] = (held[list] as number) - 1;
    if (held[list] !== 0) return;
    listOf.delete(nameOf[list] as string);
    nameOf[list] = undefined;
    freeLists[free++] = list;
  }

  /** Links of entries and of lists (8 each), count, owner, free number, reference to the name. */
  return { oldestOfFull, enter, leave, bytesPerEntry: 8 + 8 + 4 + 4 + 4 + 8 };
}
