/** What the state says of applications: which artifact each runs, so that a proof shows it (packages/execution writes it). */
import {
  ByteListType,
  ContainerType,
  concatBytes,
  createCodec,
  fromUtf8,
  ListCompositeType,
  utf8,
} from '@slipstream/primitives';
import { APPLICATION_NAME_BYTES_MAX, APPLICATIONS_MAX } from '../limits.ts';
import { bytes32, uint32 } from '../subject-wire.ts';
import { STATE_KINDS } from './keys.ts';

/** `s` "apps". */
export const APPLICATIONS_STATE_KEY: Uint8Array = concatBytes(Uint8Array.of(STATE_KINDS.system), utf8('apps'));

export interface ApplicationEntry {
  readonly name: string;
  /** SHA-256 of the artifact. */
  readonly hash: Uint8Array;
  readonly version: number;
}

interface ApplicationEntryWire extends Omit<ApplicationEntry, 'name'> {
  readonly name: Uint8Array;
}

const entriesType = new ListCompositeType(
  new ContainerType({ name: new ByteListType(APPLICATION_NAME_BYTES_MAX), hash: bytes32, version: uint32 }),
  APPLICATIONS_MAX,
);

/** In the order of genesis. */
export const applicationEntriesCodec = createCodec<readonly ApplicationEntry[], readonly ApplicationEntryWire[]>(
  'applications',
  entriesType,
  entriesType.maxSize,
  {
    toWire: (entries) => entries.map((entry) => ({ ...entry, name: utf8(entry.name) })),
    fromWire: (entries) => entries.map((entry) => ({ ...entry, name: fromUtf8(entry.name) })),
  },
);
