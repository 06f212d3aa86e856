/** The entry of the state that names the applications: a proof of it shows which code a chain runs (applications.md, A2). */
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
import { APPLICATION_NAME_BYTES_MAX, APPLICATIONS_MAX } from '../limits.ts';
import { STATE_KINDS } from './keys.ts';

/** Of all of them. */
export const STATE_KEY_OF_APPLICATIONS: Uint8Array = concatBytes(Uint8Array.of(STATE_KINDS.system), utf8('apps'));

interface ApplicationEntry {
  readonly name: string;
  /** SHA-256 of the artifact. */
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
