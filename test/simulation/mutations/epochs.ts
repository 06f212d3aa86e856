/** Rule 10. */
import type { BlockEntry } from '../../../packages/consensus/src/block-tree.ts';
import { type Context, isOfEpoch } from '../../../packages/consensus/src/context.ts';
import { type RestoredLog, restoredOf } from '../../../packages/consensus/src/restored-log.ts';
import { judgeClosing } from '../../../packages/consensus/src/rules/closing.ts';
import { bytesEqual } from '../../../packages/primitives/src/index.ts';
import type { Block, Epoch, EpochRecord, RecordHash } from '../../../packages/types/src/index.ts';
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
  {
    name: 'permission-for-the-process',
    about: 'rule 10: a permission to sign holds in every later epoch, however old its boundary is',
    changes: [
      {
        within,
        inside: 'EpochHost',
        replace: (block: Block, start: number, apart: number) => [block.timestampMs <= start + apart, false],
      },
    ],
    scenarios: ['trap-copy-over-boundary'],
  },
  {
    name: 'epoch-not-logged',
    about: 'rule 10: the log does not say how an epoch began before it holds votes of it',
    changes: [
      {
        within,
        inside: 'EpochHost',
        replace: (restored: RestoredLog, record: EpochRecord) => [restored.begun.has(record.epoch), true],
      },
    ],
    scenarios: ['crash-over-boundary', 'boundary-crash-sweep'],
  },
  {
    name: 'restored-in-another-epoch',
    about: 'rule 10: a core restores the messages of the first epoch in the log, whatever its own epoch is',
    changes: [
      {
        within,
        inside: restoredOf,
        replace: (epochs: RestoredLog['epochs'], epoch: Epoch) => [epochs.get(epoch), [...epochs.values()][0]],
      },
    ],
    scenarios: ['crash-over-boundary', 'boundary-crash-sweep'],
  },
];
