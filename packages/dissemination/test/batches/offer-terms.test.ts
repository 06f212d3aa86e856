/** Batches that a producer cannot pack by their own terms, or not now, or not any more once they are judged (D26). */
import { UNIT_DIMENSIONS } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createBatchOffers } from '../../src/batches/batch-offers.ts';
import { createBatchPool } from '../../src/batches/batch-pool.ts';
import { BROKER, batchBytes, HEIGHT } from '../harness/batches.ts';
import { START_MS } from '../harness/start-time.ts';

interface Chain {
  readonly fee?: bigint;
  readonly newest?: number;
  readonly unitsMax?: number;
  readonly rowsPerBlock?: number;
}

function createWorld({ fee = 10n, newest = HEIGHT, unitsMax = 2 ** 40, rowsPerBlock = 100 }: Chain = {}) {
  const current = { epoch: 0, self: 0, peersOf: () => [], unitLimits: UNIT_DIMENSIONS.map(() => unitsMax) };
  const limits = { batchesMax: 8, batchBytesMax: 2 ** 20, brokerBatchesMax: 8, retryAfterMs: 500 };
  const batchPool = createBatchPool({ monotonicMs: () => 0, epoch: () => 0 as never }, limits);
  const judged = Promise.withResolvers<'valid'>();
  const { offer } = createBatchOffers(
    {
      clock: { monotonicMs: () => 0, wallMs: () => START_MS } as never,
      committees: { current } as never,
      rules: { feeOf: () => fee },
      batchPool,
      distilled: { directory: { newest: () => newest } as never },
      judge: { ahead: () => judged.promise } as never,
      accepted() {},
    },
    { genesisHash: new Uint8Array(32) as never, rowsPerBlock },
    limits,
  );
  return { offer, current, batchPool, judge: () => judged.resolve('valid') };
}

describe('an offered batch of three rows', () => {
  it.each<[string, Chain, object]>([
    ['now, as prices may fall', { fee: 1_001n }, { reason: 'max-fee-too-low', retryAfterMs: 500 }],
    [
      'for good with an old knownAt',
      { newest: HEIGHT + 1_024 },
      { reason: 'known-at-bounds', retryAfterMs: undefined },
    ],
    ['for good above the units of a block', { unitsMax: 1 }, { reason: 'over-limit', retryAfterMs: undefined }],
    ['for good above the rows of a chunk', { rowsPerBlock: 2 }, { reason: 'over-limit', retryAfterMs: undefined }],
  ])('is refused %s', async (_, chain, answer) => {
    const { offer, judge } = createWorld(chain);
    judge();
    expect(await offer(batchBytes(), BROKER)).toEqual({ type: 'rejected', ...answer });
  });

  it('is refused if the epoch ended while it was judged', async () => {
    const { offer, judge, current, batchPool } = createWorld();
    const answer = offer(batchBytes(), BROKER);
    current.epoch = 1;
    judge();
    expect(await answer).toMatchObject({ reason: 'wrong-epoch' });
    expect(batchPool.count).toBe(0);
  });

  it('is there once, if it was offered again while it was judged', async () => {
    const { offer, judge, batchPool } = createWorld();
    const bytes = batchBytes();
    const answers = [offer(bytes, BROKER), offer(bytes, BROKER)];
    judge();
    expect(await Promise.all(answers)).toMatchObject([{ type: 'accepted' }, { type: 'known', where: 'waiting' }]);
    expect(batchPool.count).toBe(1);
  });
});
