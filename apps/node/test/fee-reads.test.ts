/** Fees of the API: prices and parameters of one height, of the epoch that the state is in. */
import { FREE_FEES } from '@slipstream/execution';
import { expect, it } from 'vitest';
import { epochChain, epochGenesis, weightOf } from '../../../packages/execution/test/epoch-world.ts';
import { createReads, type ReadComponents } from '../src/backend/reads.ts';

it('fees have the parameters of the state’s epoch', async () => {
  const genesis = epochGenesis({ a: 1, b: 1, c: 1, d: 1 });
  const chain = epochChain(genesis);
  const read = async (keys: readonly Uint8Array[]) => ({ height: 130, values: keys.map((key) => chain.read(key)) });
  const reads = createReads({ ledger: {}, read } as unknown as ReadComponents);
  expect(await reads.fees()).toMatchObject({ parameters: genesis.fees, windowEndsAt: 200 });
  const fees = { ...FREE_FEES, minimumPrices: [8n, 0n, 0n, 0n, 0n], windowBlocks: 50 };
  chain.decide([weightOf('a', 2), { kind: 'setParameters', fees, times: genesis.times }]);
  chain.untilSealed();
  expect((await reads.fees()).parameters).toEqual(genesis.fees);
  chain.move();
  expect(await reads.fees()).toEqual({
    height: 130,
    prices: genesis.fees.initialPrices,
    parameters: fees,
    windowEndsAt: 150,
  });
});
