/** The accounts of each receipt of a block, in one value: what removing its index entries needs. */
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

export function unpackAccounts(packed: Uint8Array): readonly (readonly Uint8Array[])[] {
  const count = new DataView(packed.buffer, packed.byteOffset, 4).getUint32(0, true);
  let at = 4;
  const byte = (): number => packed[at++] as number;
  return Array.from({ length: count }, () => {
    const accounts = byte() + 256 * byte();
    return Array.from({ length: accounts }, () => {
      const length = byte();
      at += length;
      return packed.subarray(at - length, at);
    });
  });
}
