/** One joint each: dissemination to pipeline, pipeline to execution, execution to ledger, ledger and state to state sync. */
import { createChunkProvider } from '../../../apps/node/src/executor/chunk-provider.ts';
import type { SuppliedChunk } from '../../../apps/node/src/executor/wire.ts';
import type { BlockChunk } from '../../../packages/execution/src/index.ts';
import { type ExecutedBlock, unknownAccounts } from '../../../packages/ledger/src/index.ts';
import type { BlockEntry } from '../../../packages/pipeline/src/block-entry.ts';
import type { ReplayWindow } from '../../../packages/pipeline/src/replay-window.ts';
import { createStageWork } from '../../../packages/pipeline/src/stage-work.ts';
import type { StateStore } from '../../../packages/state/src/index.ts';
import type { FetchedBlock } from '../../../packages/sync/src/state-sync/fetch-blocks.ts';
import type { TransactionId } from '../../../packages/types/src/index.ts';
import type { Mutation } from './mutation.ts';

const pipeline = 'packages/pipeline/src';

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
        replace: (state: StateStore, entry: BlockEntry) => [state.view(entry.parent).get, state.get],
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
        replace: ({ blockId, block }: FetchedBlock, receipts: ExecutedBlock['receipts']) => [
          { blockId, block, receipts, accounts: unknownAccounts(receipts.length) },
          { blockId, block, receipts: [], accounts: unknownAccounts(0) },
        ],
      },
    ],
    scenarios: ['whole-late-node'],
  },
];
