/**
 * Cache entries by issuer, in order: a flood evicts only its issuer's own entries.
 *
 * A list is chosen by the keyed hash of the issuer's name, so the memory is fixed, and no issuer can aim at the list of another. Two
 * issuers that share a list share its maximum.
 */
import { createIndexLists, LINK_WORDS } from './index-lists.ts';

interface IssuerShares {
  /** The oldest entry of a list that holds its maximum. Undefined: the issuer may add more. */
  oldestOfFull(list: number): number | undefined;
  enter(entry: number, list: number): void;
  leave(entry: number): void;
  readonly bytes: number;
}

/** Ten times as many as issuers with a full share fit the cache. A power of two. */
export const ISSUER_LISTS = 4096;
/** The list of entries without an issuer, which have no maximum. */
export const NO_ISSUER = -1;

export function createIssuerShares(entriesMax: number, entriesPerIssuerMax: number): IssuerShares {
  const links = new Int32Array(LINK_WORDS * (entriesMax + ISSUER_LISTS));
  const lists = createIndexLists(entriesMax, ISSUER_LISTS, { memory: links, stride: LINK_WORDS, offset: 0 });
  const held = new Int32Array(ISSUER_LISTS);
  const listOf = new Int16Array(entriesMax).fill(NO_ISSUER);

  return {
    oldestOfFull: (list) =>
      list === NO_ISSUER || (held[list] as number) < entriesPerIssuerMax ? undefined : lists.last(list),
    enter(entry, list) {
      listOf[entry] = list;
      if (list === NO_ISSUER) return;
      lists.pushFront(list, entry);
      held[list] = (held[list] as number) + 1;
    },
    leave(entry) {
      const list = listOf[entry] as number;
      if (list === NO_ISSUER) return;
      lists.remove(entry);
      held[list] = (held[list] as number) - 1;
    },
    bytes: links.byteLength + held.byteLength + listOf.byteLength,
  };
}
