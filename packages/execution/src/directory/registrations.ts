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

/** All, ascending by index; none on a chain without a directory. Throws ExecutionError `state-corrupt`. */
export function* readRegistrations(entries: Pick<Entries, 'get'>): Generator<Registration, void> {
  if (readBounds(entries) === undefined) return;
  const { size } = readDirectoryHead(entries).frontier;
  for (let index = 0; index < size; index++) yield registrationAt(entries, index);
}

/** Those of the block of this height, after it. Throws ExecutionError `state-corrupt`. */
export function registrationsOf(entries: Pick<Entries, 'get'>, height: number): readonly Registration[] {
  const head = readDirectoryHead(entries);
  if (head.height !== height) return [];
  const { size } = head.frontier;
  const first = size - head.registrations;
  return Array.from({ length: head.registrations }, (_, i) => registrationAt(entries, first + i));
}

function registrationAt(entries: Pick<Entries, 'get'>, index: number): Registration {
  const value = entries.get(entryKey(index));
  if (value !== undefined) return decodeRegistration(value);
  throw new ExecutionError('state-corrupt', `entry ${index} of the directory is missing`, {});
}
