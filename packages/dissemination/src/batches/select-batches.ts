/** Batches for the next own chunk: oldest first, within its bounds. */
import { addUnits, CHUNK_BATCHES_MAX, CHUNK_BYTES_MAX, NO_UNITS, type Units } from '@slipstream/types';
import type { BatchPool } from './batch-pool.ts';
import type { StoredBatch } from './stored-batch.ts';

interface BatchSelection {
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
  /** Of the oldest batch, so that none waits for ever: a block's. */
  readonly unitsOfFirst: Units;
  /** Of all together. */
  readonly unitsMax: Units;
  readonly bytesMax: number;
}

/** SSZ list offset of each. */
const OFFSET_BYTES = 4;
/** Of two lists: the body's own offsets. */
export const BODY_BYTES = 8;

export function selectBatches(pool: Pick<BatchPool, 'waiting'>, bounds: BatchBounds): BatchSelection {
  const batches: StoredBatch[] = [];
  let [units, bytes, rows] = [NO_UNITS, BODY_BYTES, 0];
  for (const batch of pool.waiting()) {
    if (batches.length >= CHUNK_BATCHES_MAX) break;
    if (batch.expiryMs <= bounds.timestampMs) continue;
    const sum = { units: addUnits(units, batch.units), bytes: bytes + batch.bytes.length + OFFSET_BYTES };
    const isFirst = batches.length === 0;
    const unitsMax = isFirst ? bounds.unitsOfFirst : bounds.unitsMax;
    const bytesMax = isFirst ? CHUNK_BYTES_MAX : bounds.bytesMax;
    const isOver = sum.bytes > bytesMax || sum.units.some((total, i) => total > (unitsMax[i] as number));
    if (isOver || rows + batch.rows > bounds.rowsMax) continue;
    batches.push(batch);
    [units, bytes, rows] = [sum.units, sum.bytes, rows + batch.rows];
  }
  return { batches, units, bytes, rows };
}
