/**
 * Keys of applications.
 *
 *   't' || application u16 || table u8 || the table's key    a key of up to 56 bytes; integers big-endian
 *   'h' || application u16 || table u8 || SHA-256 of it      a longer one
 *   's' || "apps"                                            name, hash and version of each application
 */
import { concatBytes } from '@slipstream/primitives';
import { APPLICATIONS_STATE_KEY } from '@slipstream/types';
import { type StateKey, stateKey } from '../state-keys.ts';

export const APPLICATIONS_KEY: StateKey = stateKey(APPLICATIONS_STATE_KEY);

/** Stands for all keys of an application: its calls that declare none conflict in it. The state has no such entry. */
export function untoldKeysOf(application: number): StateKey {
  return stateKey(concatBytes(APPLICATIONS_KEY.bytes, Uint8Array.of(application)));
}
