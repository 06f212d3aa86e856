/** Rule 10. */
import type { BlockEntry } from '../../../packages/consensus/src/block-tree.ts';
import { type Context, isOfEpoch } from '../../../packages/consensus/src/context.ts';
import { judgeClosing } from '../../../packages/consensus/src/rules/closing.ts';
import { bytesEqual } from '../../../packages/primitives/src/index.ts';
import type { RecordHash } from '../../../packages/types/src/index.ts';
import type { Mutation } from './mutation.ts';

const within = 'packages/consensus/src';

export const EPOCH_MUTATIONS: readonly Mutation[] = [
  {
    name: 'any-record-closes',
    about: 'rule 10: a block closes the epoch with any record',
    changes: [
      {
        within,
        inside: judgeClosing,
        replace: (next: RecordHash, seal: NonNullable<Context['seal']>) => [!bytesEqual(next, seal.recordHash), false],
      },
    ],
    scenarios: ['false-closer'],
  },
  {
    name: 'boundary-certified-again',
    about: 'rule 10: the core of the next epoch certifies the boundary too, by its own index',
    changes: [
      {
        within,
        inside: 'onExecuted',
        replace: (entry: BlockEntry, context: Context) => [!entry || !isOfEpoch(context, entry.block), !entry],
      },
    ],
    scenarios: ['replace-all'],
  },
];
