export type {
  CommittedBlock,
  DirectoryGrown,
  Halt,
  OrderedBlock,
  PipelineComponents,
  PipelineOptions,
  PipelineStatus,
  Reconciled,
} from './components.ts';
export * from './errors.ts';
export { createPipeline, type Pipeline } from './pipeline.ts';
export { RECORDED_AHEAD_BLOCKS } from './reconcile.ts';
export type { HiddenWork, StageTimes } from './stage-times.ts';
export { PIPELINE_MODES, type PipelineMode, STAGE_TABLES, STAGES, type Stage, type StageTable } from './stages.ts';
export type { ProvenState, ProveState } from './state-proofs.ts';
export { treeOfStore } from './tree-of-store.ts';
