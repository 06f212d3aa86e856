export { WalError } from './errors.ts';
export { formatHistory, parseHistory, type SigningHistory } from './history.ts';
export { formatInspectEntry, type InspectEntry, inspectLog, logPosition } from './inspect.ts';
export type { Appended, Wal } from './log.ts';
export {
  durabilityOf,
  RECORD_KIND_BYTES,
  type RecordKind,
  type SyncedKind,
  type UnsyncedKind,
} from './record-kinds.ts';
export type { WalRecord } from './replay.ts';
export { countField, openSealedJson, sealJson } from './sealed-json.ts';
export {
  type LogPosition,
  openSignState,
  RESERVED_AHEAD,
  type Recovery,
  type Refusal,
  type SignState,
} from './sign-state.ts';
export { REFUSAL_REASONS, type RefusalReason } from './sign-state-file.ts';
export {
  type OpenedWal,
  openWal,
  type WalOptions,
} from './wal.ts';
export type { WriterStats } from './writer-stats.ts';
