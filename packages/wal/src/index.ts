export { crc32c } from './crc32c.ts';
export { WalError, type WalErrorCode } from './errors.ts';
export { formatHistory, parseHistory, type SigningHistory } from './history.ts';
export { formatInspectEntry, type InspectEntry, inspectLog } from './inspect.ts';
export type { Wal } from './log.ts';
export {
  type Damage,
  type Durability,
  durabilityOf,
  RECORD_KIND_BYTES,
  RECORD_OVERHEAD_BYTES,
  type RecordKind,
  scanRecords,
  type WholeRecord,
  writeRecord,
} from './record.ts';
export type { WalRecord } from './replay.ts';
export {
  checkSegmentHeader,
  createSegment,
  LOG_ID_BYTES,
  listSegments,
  newSegmentHeader,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
  segmentPath,
} from './segment.ts';
export {
  type LogPosition,
  openSignState,
  RESERVED_AHEAD,
  type Refusal,
  type Reservation,
  type SignState,
  type SignStateOptions,
} from './sign-state.ts';
export {
  type OpenedWal,
  openWal,
  WAL_DEFAULTS,
  type WalComponents,
  type WalOptions,
  type WalReport,
} from './wal.ts';
export type { WriterStats } from './writer-stats.ts';
