/** Accounts of tests. The same name is the same account in each run. */
import { concatBytes, fromHex, sha256, to0x, utf8 } from '@slipstream/primitives';
import type { AccountText } from './types.ts';

/** Scheme 1, an Ed25519 key; the key is a hash, so no key signs for it. */
const SCHEME_ED25519 = 1;

export function accountNamed(name: string): AccountText {
  return to0x(concatBytes(Uint8Array.of(SCHEME_ED25519), sha256(utf8(`test account ${name}`)))) as AccountText;
}

/** Senders on simulated nodes, whose keys are their numbers: stand-ins sign there. Each has 1,000 native coins. */
export const NODE_ACCOUNTS: readonly AccountText[] = [1, 2, 3, 4, 5, 6].map((number) => {
  const key = new Uint8Array(32);
  new DataView(key.buffer).setUint32(0, number);
  return to0x(concatBytes(Uint8Array.of(SCHEME_ED25519), key)) as AccountText;
});

const ACCOUNT_BYTES = 33;

/** Throws RangeError unless it has 33 bytes. */
export function accountBytes(account: string): Uint8Array {
  const bytes = fromHex(account);
  if (bytes.length !== ACCOUNT_BYTES) throw new RangeError(`${account} is no account: it has ${bytes.length} bytes`);
  return bytes;
}
