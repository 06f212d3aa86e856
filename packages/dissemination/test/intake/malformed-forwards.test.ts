import { encodeFrame } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createTestNetwork, peerKey } from '../harness/network.ts';

it('a frame of five hundred malformed transactions is one offence', async () => {
  const network = createTestNetwork();
  const transactions = Array.from({ length: 500 }, (_, n) => new Uint8Array(200).fill(n));
  await network
    .node(0)
    .dissemination.onTransactions(peerKey(1), encodeFrame('transactions', { transactions, awaited: [] }));
  expect(network.node(0).offences).toMatchObject([{ peer: peerKey(1), reason: 'malformed-frame' }]);
  expect(network.node(0).dissemination.stats().drops).toEqual({ malformed: 500 });
});
