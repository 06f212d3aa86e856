/**
 * LevelDB's tables: blocks one behind the other, each with a checksum, and an index that tells where each is.
 *
 *   data block ... | filter | index of what is no data | index | footer (where the two indexes are, magic)
 *
 * Every byte is looked at: the blocks that the indexes name follow each other from the first byte to the footer, each checksum
 * holds, and the footer is what its writer writes. LevelDB itself, as it is bound here, looks at no checksum of a table.
 *
 * Source: github.com/google/leveldb, doc/table_format.md.
 */
import { type Cursor, damaged, isSummed, readVarint, uint32At } from './coding.ts';
import { uncompress } from './snappy.ts';

const FOOTER_BYTES = 48;
const HANDLES_BYTES = 40;
const MAGIC_LOW = 0x8b80fb57;
const MAGIC_HIGH = 0xdb477524;
/** Behind a block: how it is compressed, and its checksum. */
const TRAILER_BYTES = 5;
const UNCOMPRESSED = 0;
const SNAPPY = 1;
/** An index of a table of 2 MiB has some ten KiB; a table has one value too large for it at most. */
const INDEX_BYTES_MAX = 64 * 1024 * 1024;

interface Handle {
  readonly offset: number;
  readonly size: number;
}

/** Throws DiskError `damaged` with the first place that is not what was written. */
export function checkTable(file: string, bytes: Uint8Array): void {
  const footerAt = bytes.length - FOOTER_BYTES;
  if (footerAt < 0) throw damaged(file, 0, 'it is shorter than a footer');
  const { meta, index } = readFooter(file, bytes, footerAt);
  const blocks = [
    ...handlesIn(file, readBlock(file, bytes, index, footerAt), index),
    ...handlesIn(file, readBlock(file, bytes, meta, footerAt), meta),
  ].sort((a, b) => a.offset - b.offset);
  let next = 0;
  for (const handle of [...blocks, meta, index]) {
    if (handle.offset !== next) throw damaged(file, next, 'a block that no index names');
    readSummed(file, bytes, handle, footerAt);
    next = handle.offset + handle.size + TRAILER_BYTES;
  }
  if (next !== footerAt) throw damaged(file, next, 'bytes between index and footer');
}

function readFooter(
  file: string,
  bytes: Uint8Array,
  footerAt: number,
): { readonly meta: Handle; readonly index: Handle } {
  const cursor: Cursor = { bytes, at: footerAt };
  const meta = readHandle(cursor);
  const index = readHandle(cursor);
  const magicAt = footerAt + HANDLES_BYTES;
  const isPadded = cursor.at <= magicAt && bytes.subarray(cursor.at, magicAt).every((byte) => byte === 0);
  const isMagic = uint32At(bytes, magicAt) === MAGIC_LOW && uint32At(bytes, magicAt + 4) === MAGIC_HIGH;
  if (meta === undefined || index === undefined || !isPadded || !isMagic) throw damaged(file, footerAt, 'the footer');
  return { meta, index };
}

function readHandle(cursor: Cursor): Handle | undefined {
  const offset = readVarint(cursor);
  const size = readVarint(cursor);
  return offset === undefined || size === undefined ? undefined : { offset, size };
}

/** The block as it stands there. */
function readSummed(file: string, bytes: Uint8Array, { offset, size }: Handle, footerAt: number): Uint8Array {
  const end = offset + size;
  if (end + TRAILER_BYTES > footerAt) throw damaged(file, footerAt, 'an index that names a block beyond the end');
  if (!isSummed(bytes, offset, end + 1, end + 1))
    throw damaged(file, offset, 'a block that disagrees with its checksum');
  return bytes.subarray(offset, end);
}

function readBlock(file: string, bytes: Uint8Array, handle: Handle, footerAt: number): Uint8Array {
  const stored = readSummed(file, bytes, handle, footerAt);
  const type = bytes[handle.offset + handle.size];
  const block = type === SNAPPY ? uncompress(stored, INDEX_BYTES_MAX) : type === UNCOMPRESSED ? stored : undefined;
  if (block === undefined) throw damaged(file, handle.offset, 'an index in an unknown form');
  return block;
}

/** The values of an index's entries: shared u, unshared u, value's length u | rest of the key | value; then the restarts. */
function handlesIn(file: string, block: Uint8Array, { offset }: Handle): readonly Handle[] {
  const restarts = uint32At(block, block.length - 4);
  const end = block.length - 4 * (restarts + 1);
  const cursor: Cursor = { bytes: block, at: 0 };
  const handles: Handle[] = [];
  while (cursor.at < end) {
    readVarint(cursor);
    const unshared = readVarint(cursor) ?? 0;
    readVarint(cursor);
    cursor.at += unshared;
    const handle = readHandle(cursor);
    if (handle === undefined) throw damaged(file, offset, 'an index that ends in the middle of an entry');
    handles.push(handle);
  }
  return handles;
}
