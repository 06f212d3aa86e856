export * from './application.ts';
export type {
  Consensus,
  ConsensusComponents,
  ConsensusFrames,
  ConsensusSetting,
  Signing,
} from './consensus.ts';
export { type CoreSetting, NOTHING_RESTORED, type Restored } from './context.ts';
export { type Core, type CoreStatus, createCore, resumeCore } from './core.ts';
export type { CoreState } from './core-state.ts';
export { createConsensus } from './driver.ts';
export { ConsensusError } from './errors.ts';
export * from './events.ts';
export * from './options.ts';
export { begunEpochIn, restoreFrom } from './records.ts';
export { believedHeight } from './reported-heights.ts';
export { EMPTY_LOG, type RestoredLog, restoredOf } from './restored-log.ts';
