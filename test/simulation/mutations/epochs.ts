/** Rule 10. */
import type { BlockEntry } from '../../../packages/consensus/src/block-tree.ts';
import { type Context, isOfEpoch } from '../../../packages/consensus/src/context.ts';
import { type RestoredLog, restoredOf } from '../../../packages/consensus/src/restored-log.ts';
import { judgeClosing } from '../../../packages/consensus/src/rules/closing.ts';
import { bytesEqual } from '../../../packages/primitives/src/index.ts';
import type {
  Block,
  Committee,
  Epoch,
  EpochRecord,
  ProposalKind,
  RecordHash,
} from '../../../packages/types/src/index.ts';
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
  {
    name: 'payload-above-boundary',
    about: 'rule 10: a block above the boundary carries a payload',
    changes: [{ within, inside: judgeClosing, replace: (block: Block) => [block.payload.length > 0, false] }],
    scenarios: ['payload-filler'],
  },
  {
    name: 'fillers-name-any-record',
    about: 'rule 10: a block above the boundary names another record, or none',
    changes: [
      {
        within,
        inside: judgeClosing,
        replace: (next: RecordHash, parents: RecordHash, named: boolean) => [named && bytesEqual(next, parents), true],
      },
    ],
    scenarios: ['payload-filler'],
  },
  {
    name: 'optimistic-above-boundary',
    about: 'rule 10: a block that closes the epoch has an optimistic child',
    changes: [
      {
        within,
        inside: judgeClosing,
        replace: (kind: ProposalKind | undefined) => [kind === 'optimistic', false],
      },
    ],
    scenarios: ['payload-filler'],
  },
  {
    name: 'no-fillers',
    about: 'rule 10: no leader proposes above a boundary that is not final',
    changes: [
      {
        within,
        inside: 'proposeFiller',
        replace: (pacemaker: { readonly enteredMs: number }, context: Context) => [
          pacemaker.enteredMs + context.setting.options.graceMs,
          pacemaker.enteredMs + 1e9,
        ],
      },
    ],
    scenarios: ['trap-old-view-new-epoch'],
  },
  {
    name: 'any-epoch-counts',
    about: 'E4: the core of this epoch takes messages of every epoch',
    changes: [
      {
        within,
        inside: 'EpochHost',
        everywhere: true,
        replace: (epoch: Epoch, current: { readonly setting: { readonly committee: Committee } }) => [
          epoch === current.setting.committee.epoch,
          true,
        ],
      },
    ],
    scenarios: ['leaked-old-quorum', 'replace-all'],
  },
];
