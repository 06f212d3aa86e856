/**
 * State keys of the account directory. Integers in keys are big-endian.
 *
 *   'x' || index u32                    -> an entry and its height (registrations.ts)
 *   'x' || level u8 || number u32       -> a node of the tree (types, merkle-frontier.ts), of each fourth level from 4 on
 *   's' || "directory"                  -> its head (head.ts)
 *   's' || "distilled"                  -> its bounds (bounds.ts)
 *
 * Nothing under 'x' ever changes, so a proof for an earlier size can be read from any later state.
 */
import { concatBytes, utf8 } from '@slipstream/primitives';
import { type StateKey, SYSTEM, stateKey } from '../state-keys.ts';

const DIRECTORY = 0x78;

/** A path reads up to 15 keys for so many levels, and a sixteenth of the nodes is stored. */
export const NODE_LEVELS = 4;

const system = (name: string): StateKey => stateKey(concatBytes(new Uint8Array([SYSTEM]), utf8(name)));

/** Every registration declares it, so they exclude each other and may touch whatever else is listed here. */
export const DIRECTORY_KEY: StateKey = system('directory');
export const DISTILLED_KEY: StateKey = system('distilled');

export const ENTRY_KEY_BYTES = 5;

export function entryKey(index: number): StateKey {
  const key = new Uint8Array(ENTRY_KEY_BYTES);
  fillEntryKey(index, key);
  return stateKey(key);
}

export function fillEntryKey(index: number, key: Uint8Array): void {
  key[0] = DIRECTORY;
  key[1] = index >>> 24;
  key[2] = index >>> 16;
  key[3] = index >>> 8;
  key[4] = index;
}

export function nodeKey(level: number, number: number): StateKey {
  const key = new Uint8Array(6);
  key[0] = DIRECTORY;
  key[1] = level;
  new DataView(key.buffer).setUint32(2, number);
  return stateKey(key);
}
