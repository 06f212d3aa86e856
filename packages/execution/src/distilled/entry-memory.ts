/**
 * What rows need of directory entries, by index: the account of an entry over blocks, and its place in the block under execution.
 *
 * INVARIANT (distilled.md, Z3): a valid batch names entries of a final height, and no entry changes. So an account that one block read from
 * its parent's state is the same in each rival's, and in each later state.
 */
import { ACCOUNT_KEY_BYTES } from '../state-keys.ts';

export interface EntryMemory {
  /** Of the block; undefined before `setPlace`. */
  placeOf(index: number): number | undefined;
  setPlace(index: number, place: number): void;
  /** Copies scheme and key of the entry's account. False: unknown, or another one has taken its memory. */
  copyAccount(index: number, into: Uint8Array): boolean;
  keepAccount(index: number, account: Uint8Array): void;
  /** Forgets places, for the next block. */
  clear(): void;
}

/** Scheme and key, at the beginning of an entry. */
export const ENTRY_ACCOUNT_BYTES = ACCOUNT_KEY_BYTES - 1;
const CAPACITY_AT_FIRST = 1_024;
/** Above it entries share memory: 9 MB. */
const ACCOUNTS_MAX = 262_144;

export function createEntryMemory(): EntryMemory {
  /** An index plus one at its slot. */
  let owners = new Int32Array(CAPACITY_AT_FIRST);
  let accounts = new Uint8Array(ENTRY_ACCOUNT_BYTES * CAPACITY_AT_FIRST);
  let places = new Int32Array(CAPACITY_AT_FIRST);
  /** The block that set a place. */
  let blocks = new Uint32Array(CAPACITY_AT_FIRST);
  let block = 1;

  function widenAccounts(index: number): void {
    const capacity = capacityFor(Math.min(index, ACCOUNTS_MAX - 1));
    // Until all capacity is there a slot is its index, so that slots stay.
    const wider = new Int32Array(capacity);
    wider.set(owners);
    owners = wider;
    const widerAccounts = new Uint8Array(ENTRY_ACCOUNT_BYTES * capacity);
    widerAccounts.set(accounts);
    accounts = widerAccounts;
  }

  function widenPlaces(index: number): void {
    const capacity = capacityFor(index);
    const wider = new Int32Array(capacity);
    wider.set(places);
    places = wider;
    const widerBlocks = new Uint32Array(capacity);
    widerBlocks.set(blocks);
    blocks = widerBlocks;
  }

  return {
    placeOf: (index) => (index < places.length && blocks[index] === block ? (places[index] as number) : undefined),
    setPlace(index, place) {
      if (index >= places.length) widenPlaces(index);
      places[index] = place;
      blocks[index] = block;
    },
    copyAccount(index, into) {
      const slot = index & (owners.length - 1);
      if (owners[slot] !== index + 1) return false;
      const from = ENTRY_ACCOUNT_BYTES * slot;
      for (let i = 0; i < ENTRY_ACCOUNT_BYTES; i++) into[i] = accounts[from + i] as number;
      return true;
    },
    keepAccount(index, account) {
      if (index >= owners.length && owners.length < ACCOUNTS_MAX) widenAccounts(index);
      const slot = index & (owners.length - 1);
      owners[slot] = index + 1;
      accounts.set(account, ENTRY_ACCOUNT_BYTES * slot);
    },
    clear() {
      if (block === 0xffff_ffff) blocks.fill(0);
      block = block === 0xffff_ffff ? 1 : block + 1;
    },
  };
}

/** A power of two above the index. */
function capacityFor(index: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(CAPACITY_AT_FIRST, index + 1)));
}
