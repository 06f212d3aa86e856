/** Upgrades (A14, A15) and calls that run in workers (A18). */
import { createKnownRules, type Known } from '../../../apps/node/src/epochs/known-rules.ts';
import { switchApplications } from '../../../packages/execution/src/applications/upgrades.ts';
import { type RecordHead, writeHead, writeRecord } from '../../../packages/execution/src/epochs/records.ts';
import type { Entries } from '../../../packages/execution/src/overlay.ts';
import type { StateKey } from '../../../packages/execution/src/state-keys.ts';
import type { EpochRecord } from '../../../packages/types/src/index.ts';
import type { Mutation } from './mutation.ts';

const within = 'packages/execution/src';
const UPGRADE = ['application-upgrade'] as const;
const PARALLEL = ['application-calls-parallel'] as const;

export const APPLICATION_MUTATIONS: readonly Mutation[] = [
  {
    name: 'stale-result-taken',
    about: 'A18: a result of a worker is taken although the block wrote a key of the call before',
    changes: [
      {
        within: 'packages/execution/src/parallel',
        inside: 'takeOrRun',
        replace: (keys: readonly StateKey[], isUnwritten: (key: StateKey) => boolean) => [
          keys.every(isUnwritten),
          true,
        ],
      },
    ],
    scenarios: PARALLEL,
  },
  {
    name: 'own-writes-overlooked',
    about: 'A18: a result of a worker is taken although an earlier action of its transaction wrote a key of the call',
    changes: [
      {
        within,
        inside: 'isUnwritten',
        replace: (transaction: { isWritten(number: number): boolean }, number: number) => [
          transaction.isWritten(number),
          false,
        ],
      },
    ],
    scenarios: PARALLEL,
  },
  {
    name: 'upgrade-from-the-seal',
    about: 'A15: blocks between a seal and the boundary run the next epoch’s artifacts already',
    changes: [
      {
        within,
        inside: writeRecord,
        replace: (entries: Entries, epoch: number, head: RecordHead) => [
          writeHead(entries, epoch, head),
          [writeHead(entries, epoch > 0 ? epoch - 1 : epoch, head), writeHead(entries, epoch, head)],
        ],
      },
    ],
    scenarios: UPGRADE,
  },
  {
    name: 'switch-not-written',
    about: 'A15: the epoch’s first block writes neither hash nor version of an upgraded application',
    changes: [
      {
        within,
        replace: (entries: Entries, hashes: readonly Uint8Array[]) => [switchApplications(entries, hashes), undefined],
      },
    ],
    scenarios: UPGRADE,
  },
  {
    name: 'missing-artifact-overlooked',
    about: 'A14: a node goes on beyond a boundary although it lacks an artifact of the epoch',
    changes: [
      {
        within: 'apps/node/src/epochs',
        inside: createKnownRules,
        replace: (record: Pick<EpochRecord, 'parameters'>, known: Known) => [
          record.parameters.applications.every(known.artifacts.has),
          true,
        ],
      },
    ],
    scenarios: UPGRADE,
  },
];
