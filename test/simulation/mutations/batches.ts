/** Rows and batches of brokers: what keeps a liar, an equivocating broker or a replay from having an effect. */
import { createBatchJudge } from '../../../packages/dissemination/src/batches/batch-judge.ts';
import { createBatchOffers } from '../../../packages/dissemination/src/batches/batch-offers.ts';
import type { StoredBatch } from '../../../packages/dissemination/src/batches/stored-batch.ts';
import { executeBatch } from '../../../packages/distilled/src/execute.ts';
import { isFresh } from '../../../packages/distilled/src/sequences.ts';
import { type BatchSkipContext, batchSkipReason } from '../../../packages/distilled/src/skip.ts';
import { checkClaims } from '../../../packages/distilled/src/validity.ts';
import type { DistilledClaim, PeerKey } from '../../../packages/ports/src/index.ts';
import type { Mutation } from './mutation.ts';

const distilled = 'packages/distilled/src';
const batches = 'packages/dissemination/src/batches';
const scenarios = ['whole-batches'];

export const BATCH_MUTATIONS: readonly Mutation[] = [
  {
    name: 'rows-run-again',
    about: 'Z8: a row runs in each batch that has it',
    changes: [
      {
        within: distilled,
        inside: 'runnerAt',
        replace: (sequence: number, last: number, masks: Uint32Array, at: number) => [
          isFresh(sequence, last, masks, at),
          true,
        ],
      },
    ],
    scenarios,
  },
  {
    name: 'batches-run-again',
    about: 'Z7: a batch runs in each block that has it',
    changes: [
      {
        within: distilled,
        inside: batchSkipReason,
        replace: (context: BatchSkipContext) => [context.ran(), false],
      },
    ],
    scenarios,
  },
  {
    name: 'aggregates-unchecked',
    about: 'Z5: a batch is valid whatever its aggregate is',
    changes: [
      {
        within: distilled,
        inside: checkClaims,
        replace: (aggregate: DistilledClaim | undefined, answers: readonly boolean[], at: number) => [
          aggregate === undefined || answers[at++] === true,
          true,
        ],
      },
    ],
    scenarios,
  },
  {
    name: 'surcharge-to-producer',
    about: 'Z10: a producer earns what stragglers pay above a row, so it gains by making stragglers',
    changes: [
      {
        within: distilled,
        inside: executeBatch,
        replace: (outcomes: Uint8Array, charged: number, chargedStragglers: number, rowFee: bigint, burned: bigint) => [
          { outcomes, charged, chargedStragglers, earned: BigInt(charged) * rowFee, burned },
          { outcomes, charged, chargedStragglers, earned: BigInt(charged) * rowFee + burned, burned },
        ],
      },
    ],
    scenarios,
  },
  {
    name: 'offers-unjudged',
    about: 'D23: a producer packs what a broker offers, whatever the verdict is',
    changes: [
      { within: batches, inside: createBatchOffers, replace: (verdict: string) => [verdict === 'invalid', false] },
      { within: batches, inside: createBatchOffers, replace: (verdict: string) => [verdict !== 'valid', false] },
    ],
    scenarios,
  },
  {
    name: 'batches-of-other-brokers',
    about: 'D27: a producer takes a batch from a peer that its header does not name',
    changes: [
      {
        within: batches,
        inside: createBatchOffers,
        replace: (batch: StoredBatch, broker: PeerKey) => [batch.broker !== broker, false],
      },
    ],
    scenarios,
  },
  {
    name: 'verdicts-by-batch-id',
    about: 'D25: a verdict is of a batch id, so that of a false copy is taken for the true batch',
    changes: [
      {
        within: batches,
        inside: createBatchJudge,
        everywhere: true,
        replace: (batch: StoredBatch) => [batch.key, batch.batchId.join()],
      },
    ],
    scenarios,
  },
];
