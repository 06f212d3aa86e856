/**
 * Keys of applications.
 *
 *   't' || application u16 || table u8 || the table's key    a key of up to 56 bytes; integers big-endian
 *   'h' || application u16 || table u8 || SHA-256 of it      a longer one
 *   's' || "apps"                                            name, hash and version of each application
 */
import {
  ByteListType,
  ByteVectorType,
  ContainerType,
  concatBytes,
  createCodec,
  fromUtf8,
  ListCompositeType,
  UintNumberType,
  utf8,
} from '@slipstream/primitives';
import { APPLICATION_NAME_BYTES_MAX, APPLICATIONS_MAX } from '@slipstream/types';
import { type StateKey, SYSTEM, stateKey } from '../state-keys.ts';

export const APPLICATIONS_KEY: StateKey = stateKey(concatBytes(Uint8Array.of(SYSTEM), utf8('apps')));

/** In the state, so that a proof shows which code a chain runs. */
export interface ApplicationEntry {
  readonly name: string;
  readonly hash: Uint8Array;
  readonly version: number;
}

interface ApplicationEntryWire extends Omit<ApplicationEntry, 'name'> {
  readonly name: Uint8Array;
}

const entriesType = new ListCompositeType(
  new ContainerType({
    name: new ByteListType(APPLICATION_NAME_BYTES_MAX),
    hash: new ByteVectorType(32),
    version: new UintNumberType(4),
  }),
  APPLICATIONS_MAX,
);

export const applicationEntriesCodec = createCodec<readonly ApplicationEntry[], readonly ApplicationEntryWire[]>(
  'applications',
  entriesType,
  entriesType.maxSize,
  {
    toWire: (entries) => entries.map((entry) => ({ ...entry, name: utf8(entry.name) })),
    fromWire: (entries) => entries.map((entry) => ({ ...entry, name: fromUtf8(entry.name) })),
  },
);

/** Stands for all keys of an application: its calls that declare none conflict in it. The state has no such entry. */
export function untoldKeysOf(application: number): StateKey {
  return stateKey(concatBytes(APPLICATIONS_KEY.bytes, Uint8Array.of(application)));
}
