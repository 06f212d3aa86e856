import { committeeOf, followHandovers, HANDOVERS_MAX, type Handover } from '@slipstream/types';
import { expect, test } from 'vitest';
import { createInlineVerifier } from '../src/native/index.ts';
import { epochChain } from './epoch-chain.ts';

const EPOCHS = 6;
const chain = await epochChain('followed', { members: 4, epochs: EPOCHS });
const committee = committeeOf(chain.genesis);

function follow(handovers: readonly Handover[]) {
  const { verifier, stats } = createInlineVerifier({ committees: [] });
  const checkBatch = (batch: Parameters<typeof verifier.checkBatch>[0]) => verifier.checkBatch(batch, 'client');
  return { answer: followHandovers(chain.genesisHash, committee, handovers, checkBatch), stats };
}

test('a chain of handovers leads to the newest committee, by one batch', async () => {
  const { answer, stats } = follow(chain.handovers);
  const followed = await answer;
  const committees = chain.records.slice(1).map(({ epoch, members }) => ({
    epoch,
    totalWeight: 4,
    members: members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey })),
  }));
  expect(followed).toEqual({ ok: true, value: committees });
  expect(stats()).toMatchObject({ pairingChecks: 1, batchedStatements: EPOCHS });
});

test('the first handover that does not hold is named', async () => {
  const forged = chain.handovers.map((handover, at) => {
    const { certificate } = handover;
    const { aggregate } = (chain.handovers[0] as Handover).certificate;
    return at < 3 ? handover : { ...handover, certificate: { ...certificate, aggregate } };
  });
  expect(await follow(forged).answer).toEqual({ ok: false, error: { epoch: 3, fault: 'signature' } });
});

test('none is skipped, and no more than the limit is followed at once', async () => {
  const skipped = chain.handovers.filter((_, at) => at !== 2);
  expect(await follow(skipped).answer).toEqual({ ok: false, error: { epoch: 2, fault: 'epoch' } });
  const many = new Array(HANDOVERS_MAX + 1).fill(chain.handovers[0]);
  const { answer, stats } = follow(many);
  expect(await answer).toEqual({ ok: false, error: { epoch: 0, fault: 'too-many' } });
  expect(stats().pairingChecks).toBe(0);
});
