import { describe, expect, test } from 'vitest';
import { PIECE_BYTES, packPiece, packReceipts, unpackPiece, unpackReceipts } from '../../src/state-sync/wire.ts';
import { zstd } from './zstd.ts';

describe('the wire', () => {
  test('encodes and decodes a piece, compressed when that is smaller', () => {
    const even = new Uint8Array(PIECE_BYTES).fill(5);
    const uneven = crypto.getRandomValues(new Uint8Array(1000));
    expect(packPiece(even, zstd).length).toBeLessThan(PIECE_BYTES / 10);
    expect(packPiece(uneven, zstd).length).toBe(uneven.length + 1);
    for (const piece of [even, uneven]) expect(unpackPiece(packPiece(piece, zstd), zstd)).toEqual(piece);
    expect(unpackPiece(packPiece(new Uint8Array(PIECE_BYTES + 1), zstd), zstd)).toBeUndefined();
    expect(unpackPiece(new Uint8Array([7, 1, 2]), zstd)).toBeUndefined();
  });

  test('encodes and decodes receipts block by block, and refuses bytes with fewer or more', () => {
    const blocks = [[], [new Uint8Array([1, 2]), new Uint8Array()], [new Uint8Array(300).fill(9)]];
    const packed = packReceipts(blocks);
    expect(unpackReceipts(packed, 3)).toEqual(blocks);
    expect(unpackReceipts(packed, 4)).toBeUndefined();
    expect(unpackReceipts(packed.subarray(1), 3)).toBeUndefined();
    expect(unpackReceipts(new Uint8Array([255, 255, 255, 255]), 1)).toBeUndefined();
  });
});
