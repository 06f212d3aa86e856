/** Accounts of benches by number, which is the end of the key. */
import { type AccountKey, ed25519Account } from '@slipstream/types';

export function account(number: number): AccountKey {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(28, number);
  return ed25519Account(bytes);
}
