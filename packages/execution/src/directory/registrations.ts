/**
 * Entries of the directory with the height of their registration, as the state holds them: entry (129), height u64.
 *
 * The heights give the directory's size at each earlier height (distilled.md Z3), so a node that opens or joins needs nothing but the state.
 */
import { concatBytes, uint64le } from '@slipstream/primitives';
import {
  DIRECTORY_ENTRY_BYTES,
  type DirectoryEntry,
  decodeDirectoryEntry,
  encodeDirectoryEntry,
} from '@slipstream/types';
import { ExecutionError } from '../errors.ts';
import type { Entries } from '../overlay.ts';
import { readBounds } from './bounds.ts';
import { readDirectoryHead } from './head.ts';
import { entryKey } from './keys.ts';

export interface Registration extends DirectoryEntry {
  /** Of its block. */
  readonly height: number;
}

export const REGISTRATION_BYTES = DIRECTORY_ENTRY_BYTES + 8;

export function encodeRegistration(registration: Registration): Uint8Array {
  return concatBytes(encodeDirectoryEntry(registration), uint64le(registration.height));
}

/** Copies. Throws ExecutionError `state-corrupt`. */
export function decodeRegistration(value: Uint8Array): Registration {
  const entry = decodeDirectoryEntry(entryBytesIn(value));
  const view = new DataView(value.buffer, value.byteOffset + DIRECTORY_ENTRY_BYTES, 8);
  return { ...entry, height: view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32 };
}

/** A view: what the leaf has. Throws ExecutionError `state-corrupt`. */
export function entryBytesIn(value: Uint8Array): Uint8Array {
  if (value.length === REGISTRATION_BYTES) return value.subarray(0, DIRECTORY_ENTRY_BYTES);
  throw new ExecutionError('state-corrupt', `an entry has ${REGISTRATION_BYTES} bytes, this one ${value.length}`, {});
}

/**
 * Up to `limit` from an index on, as the state has them, one after another; empty at the end, and on a chain without a directory. Throws
 * ExecutionError `state-corrupt`.
 */
export function registrationBytes(entries: Pick<Entries, 'get'>, from: number, limit: number): Uint8Array {
  const size = readBounds(entries) === undefined ? 0 : readDirectoryHead(entries).frontier.size;
  const values: Uint8Array[] = [];
  for (let index = from; index < Math.min(size, from + limit); index++) values.push(valueAt(entries, index));
  return concatBytes(...values);
}

/** Of registrationBytes, or of encoded ones. Copies. Throws ExecutionError `state-corrupt`. */
export function registrationsIn(bytes: Uint8Array): readonly Registration[] {
  const registrations: Registration[] = [];
  for (let at = 0; at < bytes.length; at += REGISTRATION_BYTES) {
    registrations.push(decodeRegistration(bytes.subarray(at, at + REGISTRATION_BYTES)));
  }
  return registrations;
}

/** Those of the block of this height, after it. Throws ExecutionError `state-corrupt`. */
export function registrationsOf(entries: Pick<Entries, 'get'>, height: number): readonly Registration[] {
  const head = readDirectoryHead(entries);
  if (head.height !== height) return [];
  const { size } = head.frontier;
  const first = size - head.registrations;
  return Array.from({ length: head.registrations }, (_, i) => decodeRegistration(valueAt(entries, first + i)));
}

function valueAt(entries: Pick<Entries, 'get'>, index: number): Uint8Array {
  const value = entries.get(entryKey(index));
  if (value !== undefined) return value;
  throw new ExecutionError('state-corrupt', `entry ${index} of the directory is missing`, {});
}
