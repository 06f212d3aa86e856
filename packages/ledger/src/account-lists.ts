/** The accounts of each receipt of a block, in one value. */
import { uint32le } from '@slipstream/primitives';

/** count u32 | for each receipt: accounts u16 | for each: length u8, bytes */
export function packAccounts(accounts: readonly (readonly Uint8Array[])[]): Uint8Array {
  let bytes = 4;
  for (const list of accounts) for (const account of list) bytes += 1 + account.length;
  const packed = new Uint8Array(bytes + 2 * accounts.length);
  packed.set(uint32le(accounts.length));
  let at = 4;
  for (const list of accounts) {
    packed[at++] = list.length;
    packed[at++] = list.length >>> 8;
    for (const account of list) {
      packed[at++] = account.length;
      packed.set(account, at);
      at += account.length;
    }
  }
  return packed;
}

/** Calls with the place of the receipt and a view of the account, in order. */
export function eachAccount(packed: Uint8Array, take: (place: number, account: Uint8Array) => void): void {
  const count = new DataView(packed.buffer, packed.byteOffset, 4).getUint32(0, true);
  let at = 4;
  for (let place = 0; place < count; place++) {
    const accounts = (packed[at] as number) + 256 * (packed[at + 1] as number);
    at += 2;
    for (let i = 0; i < accounts; i++) {
      const end = at + 1 + (packed[at] as number);
      take(place, packed.subarray(at + 1, end));
      at = end;
    }
  }
}
