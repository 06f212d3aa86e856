/** Reading in place equals the codec, for sound and damaged bytes. */
import { ByteListType, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CHUNK_BATCH_BYTES_MAX,
  CHUNK_BATCHES_MAX,
  CHUNK_TRANSACTIONS_MAX,
  type ChunkBody,
  chunkBodyCodec,
  chunkHeaderCodec,
  decodeFrame,
  encodeFrame,
  GENESIS_EPOCH,
  NO_UNITS,
  signedChunkCodec,
  TRANSACTION_BYTES_MAX,
} from '../src/index.ts';
import { readByteLists, readTail } from '../src/read-in-place.ts';

const LIMITS = { itemsMax: 6, itemBytesMax: 40 };
const plain = createCodec<readonly Uint8Array[]>(
  'list',
  new ListCompositeType(new ByteListType(LIMITS.itemBytesMax), LIMITS.itemsMax),
  4_096,
);
const tail = createCodec<{ readonly bytes: Uint8Array }>(
  'tail',
  new ContainerType({ bytes: new ByteListType(64) }),
  68,
);
const list = fc.array(fc.uint8Array({ maxLength: 44 }), { maxLength: 8 });

/** By hand, to make too many and too long items. */
function listBytes(items: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(items.reduce((sum, { length }) => sum + 4 + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 4 * items.length;
  for (const [i, item] of items.entries()) {
    view.setUint32(4 * i, at, true);
    bytes.set(item, at);
    at += item.length;
  }
  return bytes;
}

function bodyBytes(transactions: readonly Uint8Array[], batches: readonly Uint8Array[]): Uint8Array {
  const [first, second] = [listBytes(transactions), listBytes(batches)];
  const bytes = new Uint8Array(8 + first.length + second.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 8, true);
  view.setUint32(4, 8 + first.length, true);
  bytes.set(first, 8);
  bytes.set(second, 8 + first.length);
  return bytes;
}

/** Mostly of offsets. */
const damage = fc.record({
  changes: fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 0, max: 255 })), { maxLength: 3 }),
  cut: fc.nat(5),
});

function damaged(
  bytes: Uint8Array,
  { changes, cut }: { changes: readonly [number, number][]; cut: number },
): Uint8Array {
  const copy = bytes.slice(0, Math.max(0, bytes.length - cut));
  for (const [at, value] of changes) if (at < copy.length) copy[at] = value;
  return copy;
}

describe('reading in place', () => {
  it('gives for a list of byte strings what the codec gives, and nothing where it refuses', () => {
    fc.assert(
      fc.property(list, damage, (items, how) => {
        for (const bytes of [listBytes(items), damaged(listBytes(items), how)]) {
          const decoded = plain.decode(bytes);
          expect(readByteLists(bytes, LIMITS)).toEqual(decoded.ok ? decoded.value : undefined);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives for a byte string behind an offset what the codec gives', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 68 }), (bytes) => {
        for (const each of [bytes, new Uint8Array([4, 0, 0, 0, ...bytes])]) {
          const decoded = tail.decode(each);
          const read = readTail(each, 0, 4);
          expect(read && read.length <= 64 ? { bytes: read } : undefined).toEqual(
            decoded.ok ? decoded.value : undefined,
          );
        }
      }),
    );
  });

  it('reads chunks and frames as they were written, and refuses them cut short', () => {
    const transactions = [new Uint8Array(3).fill(1), new Uint8Array(0), new Uint8Array(200).fill(2)];
    const batches = [new Uint8Array(300).fill(5)];
    const body = chunkBodyCodec.encode({ transactions, batches });
    expect(chunkBodyCodec.decode(body)).toEqual({ ok: true, value: { transactions, batches } });
    const header = {
      epoch: GENESIS_EPOCH,
      producer: 1,
      sequence: 2,
      createdMs: 3,
      expiryMs: 4,
      bodyHash: new Uint8Array(32).fill(9),
      bodyBytes: body.length,
      transactionCount: 3,
      batchCount: 1,
      rowCount: 20,
      units: NO_UNITS,
      acksWanted: true,
    };
    const chunk = { header, body, signature: new Uint8Array(192).fill(7) };
    const bytes = signedChunkCodec.encode(chunk);
    expect(signedChunkCodec.decode(bytes)).toEqual({ ok: true, value: chunk });
    for (const length of [0, 3, chunkHeaderCodec.bytesMax, bytes.length - body.length - 1]) {
      expect(signedChunkCodec.decode(bytes.subarray(0, length)).ok).toBe(false);
    }
    for (const [name, value] of [
      ['chunk', { compressed: true, bytes }],
      ['chunk', { compressed: false, bytes }],
      ['transactions', { transactions, awaited: [] }],
      ['transactions', { transactions, awaited: [new Uint8Array(32).fill(3), new Uint8Array(32)] }],
      ['transactions', { transactions: [], awaited: [new Uint8Array(32).fill(4)] }],
    ] as const) {
      const frame = encodeFrame(name, value as never);
      expect(decodeFrame(frame)).toEqual({ ok: true, value: { name, value } });
      expect(decodeFrame(frame.subarray(0, 4)).ok).toBe(false);
    }
    const tooLong = encodeFrame('chunk', { compressed: false, bytes }).slice();
    tooLong[1] = 2;
    expect(decodeFrame(tooLong).ok).toBe(false);
  });

  it('gives for a chunk body what the codec gives, and refuses one that breaks a bound', () => {
    const plainBody = createCodec<ChunkBody>('chunk body', chunkBodyCodec.type, chunkBodyCodec.bytesMax);
    fc.assert(
      fc.property(list, list, damage, (transactions, batches, how) => {
        const body = bodyBytes(transactions, batches);
        expect(chunkBodyCodec.encode({ transactions, batches })).toEqual(body);
        for (const bytes of [body, damaged(body, how)]) {
          const decoded = plainBody.decode(bytes);
          expect(chunkBodyCodec.decode(bytes)).toEqual(decoded);
        }
      }),
      { numRuns: 2_000 },
    );
    const refused: readonly (readonly [readonly Uint8Array[], readonly Uint8Array[]])[] = [
      [[new Uint8Array(TRANSACTION_BYTES_MAX + 1)], []],
      [new Array(CHUNK_TRANSACTIONS_MAX + 1).fill(new Uint8Array(1)), []],
      [[], [new Uint8Array(CHUNK_BATCH_BYTES_MAX + 1)]],
      [[], new Array(CHUNK_BATCHES_MAX + 1).fill(new Uint8Array(1))],
      [[], new Array(3).fill(new Uint8Array(CHUNK_BATCH_BYTES_MAX))],
    ];
    for (const [transactions, batches] of refused) {
      expect(chunkBodyCodec.decode(bodyBytes(transactions, batches)).ok).toBe(false);
    }
    const most = bodyBytes(
      [new Uint8Array(TRANSACTION_BYTES_MAX)],
      new Array(CHUNK_BATCHES_MAX).fill(new Uint8Array(1)),
    );
    expect(chunkBodyCodec.decode(most).ok).toBe(true);
  });
});
