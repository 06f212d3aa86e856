/**
 * The stages of a block, as data: conditions and resources.
 *
 *   parallel    prepare -> execute -> digest -> optCommit -------\
 *                                       \-> certify (consensus) --> commit -> notify
 *               order (consensus) -------------------------------/
 *
 *   sequential  order, prepare -> execute -> digest -> certify -> optCommit -> commit -> notify
 *
 * A finalization ends `order`; a state certificate at this height or above that matches the local digest ends `certify`. Every stage but
 * `prepare` also waits for the same stage of the parent.
 */
export const STAGES = ['prepare', 'execute', 'digest', 'optCommit', 'order', 'certify', 'commit', 'notify'] as const;
export type Stage = (typeof STAGES)[number];

/**
 * `executor`, `disk`, `journal` and `subscribers` each run one stage at a time, over all blocks. Commits have the journal to themselves,
 * so they do not wait behind appends of descendants.
 */
export type Resource = 'chunks' | 'executor' | 'disk' | 'journal' | 'subscribers' | 'consensus';

interface StageRule {
  /** Of the same block. */
  readonly after: readonly Stage[];
  readonly afterParent: boolean;
  readonly resource: Resource;
}

export type StageTable = Readonly<Record<Stage, StageRule>>;

export const PIPELINE_MODES = ['parallel', 'sequential'] as const;
export type PipelineMode = (typeof PIPELINE_MODES)[number];

const parallel: StageTable = {
  prepare: { after: [], afterParent: false, resource: 'chunks' },
  execute: { after: ['prepare'], afterParent: true, resource: 'executor' },
  digest: { after: ['execute'], afterParent: true, resource: 'executor' },
  optCommit: { after: ['digest'], afterParent: true, resource: 'disk' },
  order: { after: [], afterParent: true, resource: 'consensus' },
  certify: { after: ['digest'], afterParent: true, resource: 'consensus' },
  commit: { after: ['optCommit', 'order', 'certify'], afterParent: true, resource: 'journal' },
  notify: { after: ['commit'], afterParent: true, resource: 'subscribers' },
};

/** The baseline of Zaptos. */
const sequential: StageTable = {
  ...parallel,
  execute: { ...parallel.execute, after: ['prepare', 'order'] },
  optCommit: { ...parallel.optCommit, after: ['digest', 'certify'] },
};

export const STAGE_TABLES: Readonly<Record<PipelineMode, StageTable>> = { parallel, sequential };
