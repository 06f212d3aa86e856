export { crc32c } from './crc32c.ts';
export { RecordsError } from './errors.ts';
export {
  type Damage,
  encodeRecord,
  RECORD_OVERHEAD_BYTES,
  type RecordFields,
  scanRecords,
  type WholeRecord,
  writeRecord,
} from './record.ts';
export {
  checkSegmentHeader,
  createSegment,
  encodeSegmentHeader,
  LOG_ID_BYTES,
  listSegments,
  NO_LOG_ID,
  newSegmentHeader,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
  type Store,
  segmentPath,
  segmentsAmong,
} from './segment.ts';
