/** A header for one client: with paths to its rows and their neighbours, or with all rows where that is smaller. */
import { ROWS_PER_LEAF } from '@slipstream/distilled';
import { type BrokerMessage, HEADER_LEAVES_MAX } from '@slipstream/distilled/stream';
import { type OpenBatch, ownPlaces } from './open-batch.ts';

/** Rows and path of a leaf in bytes, against the usual ones of a row in columns. */
const LEAF_BYTES = 700;
const ROW_BYTES = 12;

export function headerMessage(batch: OpenBatch, positions: readonly number[], shareWithinMs: number): BrokerMessage {
  const { header, rows, tree } = batch;
  const leaves = leavesOf(positions, header.rows);
  if (leaves.length > HEADER_LEAVES_MAX || leaves.length * LEAF_BYTES > header.rows * ROW_BYTES + LEAF_BYTES) {
    return { name: 'headerWithColumns', value: { header, shareWithinMs, rows } };
  }
  const own = ownPlaces(rows, positions);
  return { name: 'headerWithPaths', value: { header, shareWithinMs, own, leaves: leaves.map(tree.prove) } };
}

/** Numbers of the leaves that have these rows and their neighbours, ascending. */
function leavesOf(positions: readonly number[], rows: number): readonly number[] {
  const leaves: number[] = [];
  for (const position of positions) {
    for (const near of [position - 1, position, position + 1]) {
      const leaf = Math.floor(near / ROWS_PER_LEAF);
      if (near >= 0 && near < rows && leaf > (leaves.at(-1) ?? -1)) leaves.push(leaf);
    }
  }
  return leaves;
}
