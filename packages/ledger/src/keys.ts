/**
 * Keys: one byte for the table, then fields of fixed length, integers big-endian so that keys sort like numbers.
 *
 *   table            key                                value
 *   meta             name                               schema version, genesis hash, tip
 *   block            block id                           serialized block
 *   body             block id                           receipts, records of distilled batches, accounts (bodies.ts): a small one
 *   place            block id; "segment ", number       place of a body in the files; how far a file is indexed (packages/chunk-files)
 *   height           height                             block id
 *   preimage         height                             digest preimage
 *   stateCertificate height                             certificate of exactly this height
 *   finalization     height                             finalization of exactly this block
 *   view             epoch, view, kind                  certificate
 *   index            level, first height, shard         keys in blocks         (block-index.ts)
 *   evidence         SHA-256 of the value               evidence
 *   peerBlock        peer key                           record
 *   epoch            epoch                              its record
 *   epochEnd         epoch that begins                  block id of the boundary below, and the certificate that makes it final
 *   handover         epoch that ends                    handover
 *   filler           block id                           serialized block, between a boundary and its certificate
 */
import { concatBytes, utf8 } from '@slipstream/primitives';

export const TABLES = {
  meta: 0,
  block: 1,
  body: 2,
  place: 3,
  height: 5,
  preimage: 6,
  stateCertificate: 7,
  finalization: 8,
  view: 9,
  index: 10,
  evidence: 11,
  peerBlock: 12,
  epoch: 13,
  epochEnd: 14,
  filler: 15,
  handover: 16,
} as const;
export type Table = keyof typeof TABLES;

export const TABLE_NAMES = new Map(Object.entries(TABLES).map(([name, tag]) => [tag as number, name as Table]));

export function keyOf(table: Table, ...fields: readonly Uint8Array[]): Uint8Array {
  return concatBytes(new Uint8Array([TABLES[table]]), ...fields);
}

export const metaKey = (name: 'schema' | 'genesis' | 'tip'): Uint8Array => keyOf('meta', utf8(name));

/** End of a range over the whole table. */
export function tableEnd(table: Table): Uint8Array {
  return new Uint8Array([TABLES[table] + 1]);
}

const TWO_32 = 2 ** 32;

export function uint64be(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  writeUint64be(bytes, 0, value);
  return bytes;
}

export function uint32be(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeUint32be(bytes, 0, value);
  return bytes;
}

function writeUint64be(bytes: Uint8Array, at: number, value: number): void {
  writeUint32be(bytes, at, Math.floor(value / TWO_32));
  writeUint32be(bytes, at + 4, value % TWO_32);
}

function writeUint32be(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function readUint64be(bytes: Uint8Array, at: number): number {
  return readUint32be(bytes, at) * TWO_32 + readUint32be(bytes, at + 4);
}

export function readUint32be(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, false);
}
