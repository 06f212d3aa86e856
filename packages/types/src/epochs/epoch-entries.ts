/** Epochs as nodes serve them: record, handover to the next, and end. A sender leaves out what it lacks. */
import { ByteListType, type Codec, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import { CHUNK_BYTES_MAX } from '../limits.ts';
import { type EpochEnd, epochEndCodec } from './epoch-end.ts';
import { type Handover, handoverCodec } from './handover.ts';
import { type EpochRecord, epochRecordCodec } from './record.ts';

export interface EpochEntry {
  readonly record: EpochRecord;
  /** Of this epoch's committee, to the next. */
  readonly handover: Handover | undefined;
  readonly end: EpochEnd | undefined;
}

/** Of one answer. */
export const EPOCH_ENTRIES_MAX = 64;

interface EntryWire {
  readonly record: Uint8Array;
  readonly handover: Uint8Array;
  readonly end: Uint8Array;
}

export const epochEntryType = new ContainerType({
  record: new ByteListType(epochRecordCodec.bytesMax),
  handover: new ByteListType(handoverCodec.bytesMax),
  end: new ByteListType(epochEndCodec.bytesMax),
});

const entriesType = new ContainerType({ epochs: new ListCompositeType(epochEntryType, EPOCH_ENTRIES_MAX) });

/** Checks no hash of a record, and no signature. */
export const epochEntriesCodec = createCodec<readonly EpochEntry[], { readonly epochs: readonly EntryWire[] }>(
  'epoch entries',
  entriesType,
  CHUNK_BYTES_MAX,
  {
    toWire: (entries) => ({
      epochs: entries.map(({ record, handover, end }) => ({
        record: epochRecordCodec.encode(record),
        handover: handover ? handoverCodec.encode(handover) : new Uint8Array(0),
        end: end ? epochEndCodec.encode(end) : new Uint8Array(0),
      })),
    }),
    fromWire: ({ epochs }) =>
      epochs.map(({ record, handover, end }) => ({
        record: decoded(epochRecordCodec, record),
        handover: handover.length === 0 ? undefined : decoded(handoverCodec, handover),
        end: end.length === 0 ? undefined : decoded(epochEndCodec, end),
      })),
  },
);

function decoded<T>(codec: Codec<T>, bytes: Uint8Array): T {
  const found = codec.decode(bytes);
  if (!found.ok) throw new RangeError(found.error.message);
  return found.value;
}
