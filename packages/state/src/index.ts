export { DELETES, type PackedBatch } from './batch.ts';
export * from './errors.ts';
export * from './open.ts';
export { checkParameters, DEFAULT_PARAMETERS, type StateParameters } from './parameters.ts';
export { firstDifference, readSegment, type SegmentContents, type SegmentDifference } from './segments.ts';
export {
  installSnapshot,
  isSnapshotFile,
  listSnapshots,
  newestBatchOf,
  readSnapshot,
  type SnapshotFile,
  type SnapshotPolicy,
  type StateSnapshot,
  stateSnapshotCodec,
} from './snapshot.ts';
export * from './store.ts';
export type { Batch, Write } from './write.ts';
