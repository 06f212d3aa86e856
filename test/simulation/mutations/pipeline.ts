/** Of the pipeline and the state store. */
import type { Mutation } from './table.ts';

const PIPELINE = 'packages/pipeline/src';
const STATE = 'packages/state/src';

export const PIPELINE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'state-certificates-believed',
    about: 'P4: a certificate of another digest than the own one is not compared with it',
    changes: [
      {
        file: `${PIPELINE}/vouching.ts`,
        from: 'if (!bytesEqual(certificate.subject.stateDigest, digest)) onDiverged',
        to: 'if (false) onDiverged',
      },
    ],
    scenarios: ['pipeline-diverging'],
  },
  {
    name: 'early-certificates-forgotten',
    about: 'P5: a certificate that comes before its block is executed is not kept',
    changes: [
      {
        file: `${PIPELINE}/vouching.ts`,
        from: 'entry.certificate ??= certificate;',
        to: 'if (entry.digest !== undefined) entry.certificate ??= certificate;',
      },
    ],
    scenarios: ['pipeline-lagging', 'pipeline-crashes'],
  },
  {
    name: 'replays-forgotten-at-start',
    about: 'P2: after a restart it is not known which transactions the last blocks executed',
    changes: [
      { file: `${PIPELINE}/reconcile.ts`, from: 'block.timestampMs, transactionIds)', to: 'block.timestampMs, [])' },
    ],
    scenarios: ['pipeline-crashes'],
  },
  {
    name: 'commits-what-is-appended',
    about: 'P2, P4: a block is committed before a quorum has certified its state',
    changes: [
      {
        file: `${PIPELINE}/stages.ts`,
        from: "after: ['optCommit', 'order', 'certify']",
        to: "after: ['optCommit', 'order']",
      },
    ],
    scenarios: ['pipeline-diverging', 'pipeline-crashes'],
  },
  {
    name: 'commits-without-sync',
    about: 'V2: the record of a commit is not synced',
    changes: [{ file: `${STATE}/journal.ts`, from: 'await file.sync();', to: '' }],
    scenarios: ['pipeline-crashes'],
  },
  {
    name: 'segments-without-sync',
    about: 'V2: a batch is not synced before its commit is told',
    changes: [
      { file: `${STATE}/log-files.ts`, from: 'void syncs.push(file.sync().catch(failed));', to: 'failed(undefined);' },
    ],
    scenarios: ['pipeline-crashes'],
  },
  {
    name: 'chunks-without-sync',
    about: "P6: a block's chunks are not synced before the state store commits it",
    changes: [
      {
        file: 'packages/chunk-files/src/chunk-files.ts',
        from: 'segment.file.writeAndSync(',
        to: 'segment.file.write(',
      },
    ],
    scenarios: ['pipeline-crashes'],
  },
];
