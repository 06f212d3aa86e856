/** D22: wishes for attestation that a peer sends with transactions. */
import { fromHex } from '@slipstream/primitives';
import { encodeFrame } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createTestNetwork, FULL_NODE, idOf, transaction } from './harness/network.ts';
import { submit } from './harness/steps.ts';

describe('wishes of a peer', () => {
  const wish = (fill: number) => new Uint8Array(32).fill(fill) as never;

  it('for unknown transactions are paid from its work budget', async () => {
    const { node } = createTestNetwork();
    const awaited = Array.from({ length: 256 }, (_, i) => wish(i));
    for (let i = 0; i < 3; i++) {
      await node(0).dissemination.onTransactions(FULL_NODE, encodeFrame('transactions', { transactions: [], awaited }));
    }
    expect(node(0).dissemination.stats().drops).toMatchObject({ 'peer-limit': 1 });
  });

  it('that it repeats are paid too, also those for known transactions', async () => {
    const network = createTestNetwork({ limits: { chunkDelayMs: 60_000 } });
    const node = network.node(0);
    const bytes = transaction();
    await submit(network, node, bytes);
    const awaited = Array.from({ length: 256 }, () => fromHex(idOf(bytes)) as never);
    for (let i = 0; i < 4; i++) {
      await node.dissemination.onTransactions(FULL_NODE, encodeFrame('transactions', { transactions: [], awaited }));
    }
    expect(node.dissemination.stats().drops).toMatchObject({ 'peer-limit': 1 });
  });

  it('beyond those of one frame are malformed', async () => {
    const { node } = createTestNetwork();
    const most = encodeFrame('transactions', { transactions: [], awaited: Array.from({ length: 256 }, () => wish(1)) });
    const more = new Uint8Array(most.length + 32);
    more.set(most);
    await node(0).dissemination.onTransactions(FULL_NODE, more);
    expect(node(0).offences).toMatchObject([{ reason: 'malformed-frame' }]);
  });
});
