/**
 * The file `seals` in a LevelDB folder: a segment of records (packages/records), one record per round:
 *
 *   sealed: name, bytes, CRC-32C       a whole table, or a log or manifest up to its durable end at that time
 *   removed: names                     removed by LevelDB
 *   damaged: names                     differ from their seals
 *
 * The seals are the sum of all rounds. LevelDB does not touch files with unknown names.
 */
import { type Disk, DiskError, type DiskFile } from '@slipstream/ports';
import {
  ByteListType,
  ContainerType,
  createCodec,
  fromUtf8,
  ListCompositeType,
  UintNumberType,
  utf8,
} from '@slipstream/primitives';
import {
  encodeRecord,
  encodeSegmentHeader,
  NO_LOG_ID,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  scanRecords,
} from '@slipstream/records';

export interface SealedFile {
  readonly name: string;
  /** From the begin of the file. */
  readonly bytes: number;
  readonly crc: number;
}

export interface Round {
  readonly sealed: readonly SealedFile[];
  readonly removed: readonly string[];
  readonly damaged: readonly string[];
}

export interface Seals {
  readonly files: Map<string, SealedFile>;
  /** A file found damaged earlier. */
  readonly damaged: string | undefined;
}

export interface SealLog {
  readonly bytes: number;
  /** Resolves when durable. */
  append(round: Round): Promise<void>;
  close(): Promise<void>;
}

export const SEALS = 'seals';
const TEMPORARY = 'seals.new';
/** LevelDB's contents name the chain. */
const NO_CHAIN = new Uint8Array(32);
/** Not secret, because no foreign input gets into a round. */
const RECORD_MAGIC = 0x4c414553;
const ROUND = 1;
const NAME_BYTES_MAX = 64;
/** A terabyte of tables. */
const FILES_MAX = 1_048_576;
const SEALS_BYTES_MAX = 256 * 1024 * 1024;

const nameType = new ByteListType(NAME_BYTES_MAX);
const fileType = new ContainerType({ name: nameType, bytes: new UintNumberType(8), crc: new UintNumberType(4) });
const namesType = new ListCompositeType(nameType, FILES_MAX);
const roundType = new ContainerType({
  sealed: new ListCompositeType(fileType, FILES_MAX),
  removed: namesType,
  damaged: namesType,
});

interface WireRound {
  readonly sealed: readonly (Omit<SealedFile, 'name'> & { readonly name: Uint8Array })[];
  readonly removed: readonly Uint8Array[];
  readonly damaged: readonly Uint8Array[];
}

const roundCodec = createCodec<Round, WireRound>('round of seals', roundType, SEALS_BYTES_MAX, {
  toWire: ({ sealed, removed, damaged }) => ({
    sealed: sealed.map((file) => ({ ...file, name: utf8(file.name) })),
    removed: removed.map(utf8),
    damaged: damaged.map(utf8),
  }),
  fromWire: ({ sealed, removed, damaged }) => ({
    sealed: sealed.map((file) => ({ ...file, name: fromUtf8(file.name) })),
    removed: removed.map(fromUtf8),
    damaged: damaged.map(fromUtf8),
  }),
});

/** Undefined when damaged; a torn last round is left out. `disk`: rooted at the LevelDB folder. Throws RecordsError `unknown-format`. */
export async function readSeals(disk: Disk): Promise<Seals | undefined> {
  const bytes = await disk.readWhole(SEALS, SEALS_BYTES_MAX);
  const files = new Map<string, SealedFile>();
  if (bytes === undefined) return { files, damaged: undefined };
  const header = readSegmentHeader(bytes, SEALS, 'seals');
  if (header === undefined) return undefined;
  let damaged: string | undefined;
  let isTorn = false;
  for (const item of scanRecords(bytes, SEGMENT_HEADER_BYTES, header.recordMagic)) {
    const round = item.type === 'record' && item.kindByte === ROUND ? roundCodec.decode(item.payload) : undefined;
    if (isTorn) return undefined;
    if (!round?.ok) {
      isTorn = true;
      continue;
    }
    for (const file of round.value.sealed) files.set(file.name, file);
    for (const name of round.value.removed) files.delete(name);
    damaged ??= round.value.damaged[0];
  }
  return { files, damaged };
}

function encodeRound(round: Round, sequence: number): Uint8Array {
  const payload = roundCodec.encode(round);
  const durableSequence = sequence - 1;
  return encodeRecord({ magic: RECORD_MAGIC, sequence, durableSequence, kindByte: ROUND, payload });
}

/** Atomic. */
export async function replaceSeals(
  disk: Disk,
  sealed: readonly SealedFile[],
  damaged: readonly string[],
): Promise<SealLog> {
  const fields = { store: 'seals', genesisHash: NO_CHAIN, logId: NO_LOG_ID, recordMagic: RECORD_MAGIC } as const;
  const header = encodeSegmentHeader({ ...fields, firstSequence: 1 });
  const first = encodeRound({ sealed, removed: [], damaged }, 1);
  await disk.remove(TEMPORARY);
  const created = await disk.open(TEMPORARY, { create: true });
  try {
    await created.write(0, [header, first]);
    await created.sync();
  } finally {
    await created.close();
  }
  await disk.rename(TEMPORARY, SEALS);
  await disk.syncDirectory('');
  return sealLog(await disk.open(SEALS), header.length + first.length);
}

function sealLog(file: DiskFile, firstEnd: number): SealLog {
  let end = firstEnd;
  let sequence = 1;
  return {
    get bytes() {
      return end;
    },
    async append(round) {
      sequence += 1;
      const bytes = encodeRound(round, sequence);
      await file.writeAndSync(end, [bytes]);
      end += bytes.length;
    },
    close: () => file.close(),
  };
}

/** Undefined when LevelDB removed the file meanwhile. */
export async function unlessRemoved<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DiskError && error.code === 'not-found') return undefined;
    throw error;
  }
}
