/**
 * The stages of a block, as data: their conditions and resources. The scheduler reads nothing else.
 *
 *   parallel    prepare -> execute -> digest -> optCommit -------\
 *                                       \-> certify (consensus) --> commit -> notify
 *               order (consensus) -------------------------------/
 *
 *   sequential  order, prepare -> execute -> digest -> certify -> optCommit -> commit -> notify
 *
 * Consensus ends `order` by a finalization, and `certify` by a state certificate at this height or above that matches the local
 * digest. Every stage but `prepare` also waits for the same stage of the parent.
 */
export const STAGES = ['prepare', 'execute', 'digest', 'optCommit', 'order', 'certify', 'commit', 'notify'] as const;
export type Stage = (typeof STAGES)[number];

/**
 * What a stage occupies. `executor`, `disk`, `journal` and `subscribers` each run one stage at a time, over all blocks.
 * Commits have the journal to themselves, so that they do not wait behind the appends of their descendants.
 */
export type Resource = 'chunks' | 'executor' | 'disk' | 'journal' | 'subscribers' | 'consensus';

interface StageRule {
  /** Stages of the same block. */
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

/** The baseline of Zaptos: execute after order, certify after execute, write after the certificate. */
const sequential: StageTable = {
  ...parallel,
  execute: { ...parallel.execute, after: ['prepare', 'order'] },
  optCommit: { ...parallel.optCommit, after: ['digest', 'certify'] },
};

export const STAGE_TABLES: Readonly<Record<PipelineMode, StageTable>> = { parallel, sequential };
