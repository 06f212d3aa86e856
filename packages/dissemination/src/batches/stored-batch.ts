/**
 * Batches of a chunk as it enters: bounds and form (Z1, Z2), and what the store retains of them.
 *
 * Rows are summed from the headers before a column is decoded, so a false header costs no more than it says.
 */
import { BATCH_HEADER_BYTES, batchHeaderCodec, batchIdOf, decodeBatch, unitsOfBatch } from '@slipstream/distilled';
import type { PeerKey } from '@slipstream/ports';
import { fail, ok, type Result, sha256, toHex } from '@slipstream/primitives';
import { CHUNK_ROWS_MAX, type ChunkHeader, type GenesisHash, type Units } from '@slipstream/types';

export interface StoredBatch {
  /** SHA-256 of its wire form, hex. One batch id may stand above true and false aggregates. */
  readonly key: string;
  /** 32 bytes. */
  readonly batchId: Uint8Array;
  readonly broker: PeerKey;
  readonly epoch: number;
  readonly knownAt: number;
  readonly expiryMs: number;
  readonly feeCap: bigint;
  readonly rows: number;
  /** For its chunk's header. */
  readonly units: Units;
  /** Wire form; in a chunk, a view of its body. */
  readonly bytes: Uint8Array;
}

/** Of genesis; undefined: the chain has no account directory, and no chunk has batches. */
export interface BatchRules {
  readonly genesisHash: GenesisHash;
  readonly rowsPerBlock: number;
}

export function rowsOfChunkMax({ rowsPerBlock }: Pick<BatchRules, 'rowsPerBlock'>): number {
  return Math.min(CHUNK_ROWS_MAX, rowsPerBlock);
}

export function openBatches(
  serialized: readonly Uint8Array[],
  { epoch, rowCount }: Pick<ChunkHeader, 'epoch' | 'rowCount'>,
  { genesisHash }: Pick<BatchRules, 'genesisHash'>,
): Result<readonly StoredBatch[], string> {
  let rows = 0;
  for (const bytes of serialized) {
    const header = batchHeaderCodec.decode(bytes.subarray(0, BATCH_HEADER_BYTES));
    if (!header.ok) return fail(header.error.message);
    if (header.value.epoch !== epoch) return fail(`it holds a batch of epoch ${header.value.epoch}`);
    rows += header.value.rows;
  }
  if (rows !== rowCount) return fail('it holds another number of rows');
  const opened: StoredBatch[] = [];
  for (const bytes of serialized) {
    const batch = openBatch(bytes, genesisHash);
    if (!batch.ok) return batch;
    opened.push(batch.value);
  }
  return ok(opened);
}

export function openBatch(bytes: Uint8Array, genesisHash: GenesisHash): Result<StoredBatch, string> {
  const decoded = decodeBatch(bytes);
  if (!decoded.ok) return fail(decoded.error.message);
  const { header } = decoded.value;
  const { broker, epoch, knownAt, expiryMs, feeCap, rows } = header;
  return ok({
    key: toHex(sha256(bytes)),
    batchId: batchIdOf(genesisHash, header),
    broker,
    epoch,
    knownAt,
    expiryMs,
    feeCap,
    rows,
    units: unitsOfBatch(decoded.value, bytes.length),
    bytes,
  });
}
