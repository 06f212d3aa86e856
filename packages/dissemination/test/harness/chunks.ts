/** Chunks as member 1 packs them, unless the change names another producer. */
import { decodeBatch, unitsOfBatch } from '@slipstream/distilled';
import { sha256 } from '@slipstream/primitives';
import {
  addUnits,
  type ChunkHeader,
  chunkBodyCodec,
  chunkIdOf,
  chunkMessage,
  decodeTransaction,
  encodeFrame,
  GENESIS_EPOCH,
  NO_UNITS,
  type SignedChunk,
  signedChunkCodec,
} from '@slipstream/types';
import { GENESIS_HASH, memberSignature, unitsOf } from './network.ts';
import { START_MS } from './start-time.ts';

export function chunk(
  transactions: readonly Uint8Array[],
  change: Partial<ChunkHeader> = {},
  batches: readonly Uint8Array[] = [],
): SignedChunk {
  const body = chunkBodyCodec.encode({ transactions, batches });
  const opened = batches.map((bytes) => {
    const batch = decodeBatch(bytes);
    return batch.ok ? { rows: batch.value.header.rows, units: unitsOfBatch(batch.value, bytes.length) } : undefined;
  });
  const header: ChunkHeader = {
    epoch: GENESIS_EPOCH,
    producer: 1,
    sequence: 1,
    createdMs: START_MS,
    expiryMs: START_MS + 30_000,
    acksWanted: true,
    bodyHash: sha256(body),
    bodyBytes: body.length,
    transactionCount: transactions.length,
    batchCount: batches.length,
    rowCount: opened.reduce((sum, batch) => sum + (batch?.rows ?? 0), 0),
    units: [
      ...transactions.map((bytes) => unitsOf(decodeTransaction(bytes).transaction, bytes.length)),
      ...opened.map((batch) => batch?.units ?? NO_UNITS),
    ].reduce(addUnits, NO_UNITS),
    ...change,
  };
  const message = chunkMessage(GENESIS_HASH, header.epoch, chunkIdOf(header));
  return { header, body, signature: memberSignature(header.producer, message) };
}

export function frameOf(sent: SignedChunk): Uint8Array {
  return encodeFrame('chunk', { compressed: false, bytes: signedChunkCodec.encode(sent) });
}
