import type { BlockGraph } from '../../../packages/pipeline/src/block-graph.ts';
import { createCertification } from '../../../packages/pipeline/src/certification.ts';
import type { ReplayWindow } from '../../../packages/pipeline/src/replay-window.ts';
import type { DiskFile } from '../../../packages/ports/src/index.ts';
import { bytesEqual } from '../../../packages/primitives/src/index.ts';
import type { UndoLog } from '../../../packages/state-tree/src/undo-log.ts';
import {
  type BlockId,
  type Hex,
  hexOf,
  type StateCertificate,
  type StateDigest,
} from '../../../packages/types/src/index.ts';
import type { Mutation } from './mutation.ts';

const within = 'packages/pipeline/src';

export const PIPELINE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'state-certificates-believed',
    about: 'P4: the digest of a certificate is not compared with the own one',
    changes: [
      {
        within,
        inside: createCertification,
        replace: (certificate: StateCertificate, digest: StateDigest) => [
          bytesEqual(certificate.subject.stateDigest, digest),
          true,
        ],
      },
    ],
    scenarios: ['pipeline-diverging'],
  },
  {
    name: 'early-certificates-forgotten',
    about: 'P5: a certificate that arrives before its block is executed is dropped',
    changes: [
      {
        within,
        inside: [createCertification, 'certified'],
        replace: (graph: BlockGraph, id: Hex<BlockId>) => [graph.get(id), graph.get(id)?.digest && graph.get(id)],
      },
    ],
    scenarios: ['pipeline-crashes', 'pipeline-lagging'],
  },
  {
    name: 'replays-forgotten-at-start',
    about: 'P2: after a restart the executed transactions of the last blocks are unknown',
    changes: [
      {
        within,
        replace: (window: ReplayWindow, id: BlockId, timestampMs: number, ids: Parameters<ReplayWindow['add']>[2]) => [
          window.add(hexOf(id), timestampMs, ids),
          window.add(hexOf(id), timestampMs, []),
        ],
      },
    ],
    scenarios: ['pipeline-crashes'],
  },
  {
    name: 'rival-stays-in-tree',
    about: 'R1: the changes of a rival are not undone before those of the next block are taken in',
    changes: [
      {
        within: 'packages/state-tree/src',
        inside: 'pop',
        replace: (block: { readonly log?: UndoLog } | undefined) => [block?.log?.undo(), undefined],
      },
    ],
    scenarios: ['pipeline-equivocators'],
  },
  {
    name: 'commits-what-is-appended',
    about: 'P2, P4: a block is committed before a quorum has certified its state',
    changes: [
      {
        within,
        replace: () => [
          ['optCommit', 'order', 'certify'],
          ['optCommit', 'order'],
        ],
      },
    ],
    scenarios: ['pipeline-diverging', 'pipeline-crashes'],
  },
  {
    name: 'commits-without-sync',
    about: 'V2: the record of a commit is not synced',
    changes: [
      {
        within: 'packages/state/src',
        inside: 'createJournalOn',
        replace: (file: DiskFile, at: number, parts: readonly Uint8Array[]) => [
          file.writeAndSync(at, parts),
          file.write(at, parts),
        ],
      },
    ],
    scenarios: ['pipeline-crashes'],
  },
  {
    name: 'segments-without-sync',
    about: 'V2: a batch is not synced before its commit is reported',
    changes: [
      {
        within: 'packages/state/src',
        inside: 'writeDurably',
        replace: (file: DiskFile) => [file.sync(), Promise.resolve()],
      },
    ],
    scenarios: ['pipeline-crashes'],
  },
  {
    name: 'chunks-without-sync',
    about: "P6: a block's chunks are not synced before the state store commits it",
    changes: [
      {
        within: 'packages/chunk-files/src',
        replace: (file: DiskFile, at: number, parts: readonly Uint8Array[]) => [
          file.writeAndSync(at, parts),
          file.write(at, parts),
        ],
      },
    ],
    scenarios: ['pipeline-crashes'],
  },
];
