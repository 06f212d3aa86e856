/**
 * The stages of a block, as data: what each waits for, and what it takes. The scheduler reads nothing else.
 *
 *   parallel    prepare -> execute -> digest -> optCommit -------\
 *                                       \-> certify (consensus) --> commit -> notify
 *               order (consensus) -------------------------------/
 *
 *   sequential  order, prepare -> execute -> digest -> certify -> optCommit -> commit -> notify
 *
 * `order` and `certify` are ended by consensus: by a finalization, and by a state certificate at this height or above that
 * agrees with the digest here. Every stage but `prepare` also waits for the same stage of the parent.
 */
export const STAGES = ['prepare', 'execute', 'digest', 'optCommit', 'order', 'certify', 'commit', 'notify'] as const;
export type Stage = (typeof STAGES)[number];

/**
 * What a stage occupies. Of `executor`, `disk`, `journal` and `subscribers` there is one: one stage at a time, of all blocks.
 * A commit has the journal to itself: behind the appends of its descendants it would wait for half of one on average.
 */
export type Resource = 'chunks' | 'executor' | 'disk' | 'journal' | 'subscribers' | 'consensus';

export interface StageRule {
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
