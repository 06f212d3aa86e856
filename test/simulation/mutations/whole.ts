/** One joint each: dissemination to pipeline, pipeline to execution, execution to ledger, ledger and state to state sync. */

import { readEarlierEpochs } from '../../../apps/node/src/epochs/read-earlier.ts';
import { followCommittees } from '../../../apps/node/src/epochs/verified-committees.ts';
import { createChunkProvider } from '../../../apps/node/src/executor/chunk-provider.ts';
import { knownEpochs } from '../../../apps/node/src/executor/known-epochs.ts';
import type { SuppliedChunk } from '../../../apps/node/src/executor/wire.ts';
import { createEpochChange } from '../../../packages/dissemination/src/epochs/epoch-change.ts';
import {
  type BlockChunk,
  type EpochSeal,
  type ExecuteBlock,
  readRecords,
} from '../../../packages/execution/src/index.ts';
import { type CommitSeal, type ExecutedBlock, unknownAccounts } from '../../../packages/ledger/src/index.ts';
import { commitOperations, epochOperations } from '../../../packages/ledger/src/write-operations.ts';
import type { BlockEntry } from '../../../packages/pipeline/src/block-entry.ts';
import { createEpochSeals } from '../../../packages/pipeline/src/epoch-seals.ts';
import type { ReplayWindow } from '../../../packages/pipeline/src/replay-window.ts';
import { createStageWork } from '../../../packages/pipeline/src/stage-work.ts';
import type { VerifierCommittees } from '../../../packages/ports/src/index.ts';
import type { StateStore } from '../../../packages/state/src/index.ts';
import type { FetchedBlock } from '../../../packages/sync/src/state-sync/fetch-blocks.ts';
import { contradict, contradictionOf } from '../../../packages/types/src/epochs/contradiction.ts';
import type { EpochRecord, Subject, TransactionId } from '../../../packages/types/src/index.ts';
import type { Mutation } from './mutation.ts';

const pipeline = 'packages/pipeline/src';

interface FeeRun {
  readonly block: Pick<ExecuteBlock, 'epoch'>;
}

/** The quickest one that has a boundary. */
const WHOLE_BOUNDARY = ['whole-boundary'] as const;

export const WHOLE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'first-chunk-for-all',
    about: 'N1: of a block with several chunks the pipeline gets the first one for each',
    changes: [
      {
        within: 'apps/node/src/executor',
        inside: createChunkProvider,
        replace: (
          open: (id: string, chunk: SuppliedChunk) => BlockChunk,
          id: string,
          supplied: readonly SuppliedChunk[],
          i: number,
        ) => [open(id, supplied[i] as SuppliedChunk), open(id, supplied[0] as SuppliedChunk)],
      },
    ],
    scenarios: ['whole-crashes', 'whole-partitions'],
  },
  {
    name: 'last-of-chunk-passed-over',
    about: 'N1: the last transaction of a chunk is not executed',
    changes: [
      {
        within: 'apps/node/src/executor',
        inside: 'decodeEach',
        replace: (i: number, serialized: readonly Uint8Array[]) => [i < serialized.length, i < serialized.length - 1],
      },
    ],
    scenarios: ['whole-crashes', 'whole-partitions'],
  },
  {
    name: 'reads-committed-state',
    about: 'N1: a block is executed on the committed state, without its uncommitted ancestors',
    changes: [
      {
        within: pipeline,
        inside: createStageWork,
        replace: (state: StateStore, entry: BlockEntry) => [state.view(entry.parent), state.view(state.tip.block)],
      },
    ],
    scenarios: ['whole-crashes', 'whole-partitions'],
  },
  {
    name: 'replays-executed',
    about: 'N1: execution does not ask whether a transaction was executed before',
    changes: [
      {
        within: pipeline,
        inside: createStageWork,
        replace: (window: ReplayWindow, id: TransactionId, isAncestor: Parameters<ReplayWindow['has']>[1]) => [
          window.has(id, isAncestor),
          false,
        ],
      },
    ],
    scenarios: ['whole-partitions', 'whole-crashes'],
  },
  {
    name: 'receipts-out-of-order',
    about: 'N1: the ledger gets the receipts of a block in another order than the digest has',
    changes: [
      {
        within: pipeline,
        inside: [createStageWork, 'optCommit'],
        replace: (executed: { readonly receiptBytes: readonly Uint8Array[] }) => [
          executed.receiptBytes,
          [...executed.receiptBytes].reverse(),
        ],
      },
    ],
    scenarios: ['whole-crashes', 'whole-late-node'],
  },
  {
    name: 'states-without-receipts',
    about: 'N1: a node that takes over a state stores the blocks below it without their receipts',
    changes: [
      {
        within: 'packages/sync/src/state-sync',
        replace: ({ blockId, block, batches }: FetchedBlock, receipts: ExecutedBlock['receipts']) => [
          { blockId, block, receipts, accounts: unknownAccounts(receipts.length), batches },
          { blockId, block, receipts: [], accounts: unknownAccounts(0), batches },
        ],
      },
    ],
    scenarios: ['whole-late-node'],
  },
  {
    name: 'dissemination-not-moved',
    about: 'D19: dissemination goes on in the epoch that ended',
    changes: [
      {
        within: 'packages/dissemination/src/epochs',
        inside: createEpochChange,
        everywhere: true,
        replace: (part: { moved(): void }) => [part.moved(), undefined],
      },
    ],
    scenarios: WHOLE_BOUNDARY,
  },
  {
    name: 'seal-not-passed-on',
    about: 'rule 10: the pipeline does not report that a record is sealed',
    changes: [
      {
        within: pipeline,
        inside: createEpochSeals,
        replace: (seal: EpochSeal, reported: number) => [seal.record.epoch <= reported, true],
      },
    ],
    scenarios: WHOLE_BOUNDARY,
  },
  {
    name: 'boundary-without-its-end',
    about: 'P11: the last block of an epoch is committed without what ended the epoch',
    changes: [
      {
        within: 'packages/ledger/src',
        inside: commitOperations,
        replace: (seal: CommitSeal) => [seal.newEpoch, undefined],
        everywhere: true,
      },
    ],
    scenarios: WHOLE_BOUNDARY,
  },
  {
    name: 'end-not-stored',
    about: 'P11: the ledger gets the record of the next epoch, and not what made the boundary final',
    changes: [
      {
        within: 'packages/ledger/src',
        inside: epochOperations,
        replace: (end: NonNullable<CommitSeal['newEpoch']>['end'] | undefined) => [end === undefined, true],
      },
    ],
    scenarios: WHOLE_BOUNDARY,
  },
  {
    name: 'records-unread-at-start',
    about: 'a restarted node knows only the newest record of its state',
    changes: [
      {
        within: 'apps/node/src/executor',
        inside: knownEpochs,
        replace: (entries: Parameters<typeof readRecords>[0]) => [readRecords(entries), readRecords(entries).slice(-1)],
      },
      {
        within: 'apps/node/src/epochs',
        inside: readEarlierEpochs,
        replace: (record: EpochRecord | undefined) => [record === undefined, true],
      },
    ],
    scenarios: [...WHOLE_BOUNDARY, 'whole-epochs-crashes'],
  },
  {
    name: 'verifier-without-next-committee',
    about: 'E4: the verifier does not learn the committee of the next epoch',
    changes: [
      {
        within: 'apps/node/src/epochs',
        inside: followCommittees,
        replace: (verifier: VerifierCommittees, epoch: number, keys: readonly Uint8Array[]) => [
          verifier.addCommittee(epoch, keys),
          undefined,
        ],
      },
    ],
    scenarios: WHOLE_BOUNDARY,
  },
  {
    name: 'fees-by-block-epoch',
    about: 'E7: the fee of a chunk goes to the member with its producer’s index in the epoch of the block',
    changes: [
      {
        within: 'packages/execution/src',
        inside: 'executeChunk',
        replace: (
          execute: (run: FeeRun, prepared: unknown, producer: number, uncovered: unknown) => unknown,
          run: FeeRun,
          prepared: unknown,
          producer: number,
          uncovered: unknown,
        ) => [
          execute(run, prepared, producer, uncovered),
          // COMMITTEE_MEMBERS_MAX places of each epoch.
          execute(run, prepared, run.block.epoch * 1_024 + (producer % 1_024), uncovered),
        ],
      },
    ],
    scenarios: WHOLE_BOUNDARY,
  },
  {
    name: 'any-two-votes-contradict',
    about: 'evidence is any two votes of a key',
    changes: [
      {
        within: 'packages/types/src/epochs',
        inside: contradictionOf,
        replace: (pair: readonly [Subject, Subject]) => [contradict(...pair), true],
      },
    ],
    scenarios: ['whole-forgeries'],
  },
];
