/**
 * The accounts of each receipt of a block, in one value.
 *
 *   count u32 | for each receipt: accounts u16 | for each: length u8, scheme u8, key
 *
 * Packed during execution, because transactions are not available later, and arrays of arrays would stay in memory until the commit.
 */
import { ACCOUNT_SCHEMES, type AccountKey } from '@slipstream/types';

interface AccountLists {
  /** Adds the next receipt's accounts, each once. */
  add(accounts: readonly AccountKey[]): void;
  /** Ends the lists: no `add` may follow. */
  packed(): Uint8Array;
}

const COUNT_BYTES = 4;
/** Enough for some hundred receipts; doubled when full. */
const BYTES_AT_FIRST = 8_192;

export function createAccountLists(): AccountLists {
  let bytes = new Uint8Array(BYTES_AT_FIRST);
  let at = COUNT_BYTES;
  let count = 0;

  function reserve(needed: number): void {
    if (at + needed <= bytes.length) return;
    const wider = new Uint8Array(2 * (at + needed));
    wider.set(bytes);
    bytes = wider;
  }

  function put({ scheme, bytes: key }: AccountKey): void {
    reserve(2 + key.length);
    bytes[at] = 1 + key.length;
    bytes[at + 1] = ACCOUNT_SCHEMES[scheme];
    bytes.set(key, at + 2);
    at += 2 + key.length;
  }

  return {
    add(accounts) {
      reserve(2);
      bytes[at] = accounts.length;
      bytes[at + 1] = accounts.length >>> 8;
      at += 2;
      for (let i = 0; i < accounts.length; i++) put(accounts[i] as AccountKey);
      count += 1;
    },
    packed() {
      const packed = bytes.subarray(0, at);
      new DataView(packed.buffer).setUint32(0, count, true);
      return packed;
    },
  };
}

/** For receipts without their transactions. */
export function unknownAccounts(receipts: number): Uint8Array {
  const lists = createAccountLists();
  for (let i = 0; i < receipts; i++) lists.add([]);
  return lists.packed();
}

export function receiptsOf(packed: Uint8Array): number {
  return new DataView(packed.buffer, packed.byteOffset, COUNT_BYTES).getUint32(0, true);
}

/** Calls `take` with the receipt's place and the bounds of each account (accountKeyBytes of types), in order. */
export function eachAccount(packed: Uint8Array, take: (place: number, start: number, end: number) => void): void {
  const count = receiptsOf(packed);
  let at = COUNT_BYTES;
  for (let place = 0; place < count; place++) {
    const accounts = (packed[at] as number) + 256 * (packed[at + 1] as number);
    at += 2;
    for (let i = 0; i < accounts; i++) {
      const end = at + 1 + (packed[at] as number);
      take(place, at + 1, end);
      at = end;
    }
  }
}
