import { type ChunkHeader, GENESIS_EPOCH, NO_UNITS } from '../src/index.ts';

/** Without transactions, batches and a hash of the body, unless given. */
export function chunkHeader(body: Uint8Array, own: Partial<ChunkHeader> = {}): ChunkHeader {
  return {
    epoch: GENESIS_EPOCH,
    producer: 0,
    sequence: 0,
    createdMs: 0,
    expiryMs: 0,
    bodyHash: new Uint8Array(32),
    bodyBytes: body.length,
    transactionCount: 0,
    batchCount: 0,
    rowCount: 0,
    units: NO_UNITS,
    acksWanted: false,
    ...own,
  };
}
