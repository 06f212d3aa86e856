/** Batches for the next own chunk: oldest first, within its bounds. */
import { addUnits, CHUNK_BATCHES_MAX, CHUNK_BYTES_MAX, NO_UNITS, type Units } from '@slipstream/types';
import type { BatchPool } from './batch-pool.ts';
import type { StoredBatch } from './stored-batch.ts';

export interface BatchSelection {
  readonly batches: readonly StoredBatch[];
  readonly units: Units;
  /** Of the body. */
  readonly bytes: number;
  readonly rows: number;
}

interface BatchBounds {
  /** About the timestamp of the referencing block. */
  readonly timestampMs: number;
  readonly rowsMax: number;
  readonly unitsLeft: Units;
  readonly batchesMax?: number;
}

/** SSZ list offset of each. */
const OFFSET_BYTES = 4;
/** Of two lists: the body's own offsets. */
export const BODY_BYTES = 8;
/** While transactions wait too, they get the rest. */
const SHARE_BESIDE_TRANSACTIONS = 1 / 2;

export function selectBatches(
  pool: Pick<BatchPool, 'waiting'>,
  { timestampMs, rowsMax, unitsLeft, batchesMax = CHUNK_BATCHES_MAX }: BatchBounds,
  hasTransactions: boolean,
): BatchSelection {
  const share = hasTransactions ? SHARE_BESIDE_TRANSACTIONS : 1;
  const batches: StoredBatch[] = [];
  let [units, bytes, rows] = [NO_UNITS, BODY_BYTES, 0];
  for (const batch of pool.waiting()) {
    if (batches.length >= batchesMax) break;
    const size = batch.bytes.length + OFFSET_BYTES;
    const sum = addUnits(units, batch.units);
    const isOver = sum.some((total, i) => total > share * (unitsLeft[i] as number));
    if (isOver || bytes + size > share * CHUNK_BYTES_MAX || rows + batch.rows > rowsMax) continue;
    if (batch.expiryMs <= timestampMs) continue;
    batches.push(batch);
    [units, bytes, rows] = [sum, bytes + size, rows + batch.rows];
  }
  return { batches, units, bytes, rows };
}
