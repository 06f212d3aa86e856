export * from './application.ts';
export { type CoreSetting, NOTHING_RESTORED, type Restored } from './context.ts';
export { type Core, type CoreStatus, createCore, resumeCore } from './core.ts';
export type { CoreState } from './core-state.ts';
export {
  type Consensus,
  type ConsensusComponents,
  type ConsensusSetting,
  type CoreRecorder,
  createConsensus,
} from './driver.ts';
export { ConsensusError, type ConsensusErrorCode } from './errors.ts';
export * from './events.ts';
export type { ForeignFrame } from './frame-kinds.ts';
export * from './leader-schedule.ts';
export * from './options.ts';
export { restoreFrom } from './records.ts';
export { spareSlowFollowers } from './slow-followers.ts';
export { createSyncClient, type SyncAsk, type SyncClient } from './sync-client.ts';
export type { Archive, SnapshotArchive } from './sync-server.ts';
