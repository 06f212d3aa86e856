/**
 * LevelDB's manifest: which tables and which log are the store. A log of changes, the first of which is all that was there.
 *
 * Source: github.com/google/leveldb, db/version_edit.cc.
 */
import { unreachable } from '@slipstream/primitives';
import { type Cursor, damaged, readSlice, readVarint } from './coding.ts';
import { scanLogFile } from './log-file.ts';

export interface Manifest {
  /** Sizes of the tables, by number. */
  readonly tables: ReadonlyMap<number, number>;
  /** What is in logs below is in tables. 0: there is none yet. */
  readonly logNumber: number;
}

const TAGS = {
  1: 'comparator',
  2: 'log',
  3: 'next-file',
  4: 'last-sequence',
  5: 'compact-pointer',
  6: 'deleted-file',
  7: 'new-file',
  9: 'previous-log',
} as const;
type Tag = (typeof TAGS)[keyof typeof TAGS];

interface Making {
  readonly tables: Map<number, number>;
  logNumber: number;
}

/** What its writer did not finish is left out, as LevelDB leaves it out. Throws DiskError `damaged`. */
export function readManifest(file: string, bytes: Uint8Array): Manifest {
  const manifest: Making = { tables: new Map(), logNumber: 0 };
  let records = 0;
  for (const item of scanLogFile(bytes)) {
    if (item.type === 'damage') {
      if (item.atEnd) break;
      throw damaged(file, item.offset, 'a record that disagrees with its checksum');
    }
    if (!apply(item.bytes, manifest)) throw damaged(file, item.offset, 'a record of an unknown form');
    records += 1;
  }
  if (records === 0) throw damaged(file, 0, 'it has no record');
  return manifest;
}

function apply(record: Uint8Array, manifest: Making): boolean {
  const cursor: Cursor = { bytes: record, at: 0 };
  while (cursor.at < record.length) {
    const tag: Tag | undefined = TAGS[readVarint(cursor) as keyof typeof TAGS];
    if (tag === undefined || !applyField(tag, cursor, manifest)) return false;
  }
  return true;
}

/** Whether it could be read. */
function applyField(tag: Tag, cursor: Cursor, manifest: Making): boolean {
  switch (tag) {
    case 'comparator':
      return readSlice(cursor) !== undefined;
    case 'next-file':
    case 'last-sequence':
    case 'previous-log':
      return readVarint(cursor) !== undefined;
    case 'log': {
      const number = readVarint(cursor);
      manifest.logNumber = number ?? 0;
      return number !== undefined;
    }
    case 'compact-pointer':
      return readVarint(cursor) !== undefined && readSlice(cursor) !== undefined;
    case 'deleted-file': {
      readVarint(cursor);
      const number = readVarint(cursor);
      if (number !== undefined) manifest.tables.delete(number);
      return number !== undefined;
    }
    case 'new-file': {
      readVarint(cursor);
      const [number, size] = [readVarint(cursor), readVarint(cursor)];
      if (number === undefined || size === undefined) return false;
      manifest.tables.set(number, size);
      return readSlice(cursor) !== undefined && readSlice(cursor) !== undefined;
    }
    default:
      return unreachable(tag, 'field of a manifest');
  }
}
