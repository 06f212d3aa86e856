/**
 * Keys of applications.
 *
 *   't' || application u16 || table u8 || the table's key    a key of up to 56 bytes; integers big-endian
 *   'h' || application u16 || table u8 || SHA-256 of it      a longer one
 *   's' || "apps"                                            name, hash and version of each application
 */
import { concatBytes } from '@slipstream/primitives';
import { STATE_KEY_OF_APPLICATIONS } from '@slipstream/types';
import { type StateKey, stateKey } from '../state-keys.ts';

export { applicationEntriesCodec } from '@slipstream/types';

export const APPLICATIONS_KEY: StateKey = stateKey(STATE_KEY_OF_APPLICATIONS);

/** Stands for all keys of an application: its calls that declare none conflict in it. The state has no such entry. */
export function untoldKeysOf(application: number): StateKey {
  return stateKey(concatBytes(APPLICATIONS_KEY.bytes, Uint8Array.of(application)));
}
