/**
 * The state store. Rules: docs/protocol/state.md, "State store". Interface: store.ts. Assembly: log-store.ts.
 *
 *   prepare/ --> overlay/ --> log/, journal/ --> committed/ --> key-table/
 *   decides a    a prepared   makes it durable   folds it into  finds a key's
 *   batch's      batch in                        the index      record
 *   bytes        memory
 *
 *   recovery/ fills the index at opening. reading/ answers and verifies. snapshot/ serves joining nodes.
 */
export { type Batch, DELETES, type PackedBatch, type Write } from './batch.ts';
export * from './errors.ts';
export * from './open.ts';
export { checkParameters, DEFAULT_PARAMETERS, type StateParameters } from './parameters.ts';
export {
  firstDifference,
  readSegment,
  type SegmentContents,
  type SegmentDifference,
} from './reading/segment-difference.ts';
export { installSnapshot, isSnapshotFile } from './snapshot/install-snapshot.ts';
export {
  listSnapshots,
  newestBatchOf,
  readSnapshot,
  type SnapshotFile,
  type StateSnapshot,
  stateSnapshotCodec,
} from './snapshot/snapshot.ts';
export type { SnapshotPolicy } from './snapshot/take-snapshots.ts';
export * from './store.ts';
