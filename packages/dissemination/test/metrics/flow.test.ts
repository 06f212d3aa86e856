import { idFromHex, type TransactionId } from '@slipstream/types';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DisseminationStats } from '../../src/index.ts';
import {
  accountOf,
  block,
  createTestNetwork,
  idOf,
  type TestNetwork,
  type TransactionForm,
  transaction,
} from '../harness/network.ts';

const sum = (counts: Readonly<Partial<Record<string, number>>>) =>
  Object.values(counts).reduce((total: number, each) => total + (each ?? 0), 0);

function expectBalance({ flow, pool, chunks, producer }: DisseminationStats): void {
  const out = flow.known + sum(flow.refused) + flow.executed + sum(flow.dropped);
  expect(out + pool.checking + pool.transactions).toBe(flow.fromClients + flow.fromPeers);
  expect(chunks.committed + chunks.expired + chunks.pending).toBe(chunks.stored);
  if (producer) expect(producer.certified + producer.unneeded + producer.uncertified).toBe(producer.produced);
}

const SENDERS = [accountOf(0), accountOf(1), accountOf(2, 1)];
const STEPS = fc.array(
  fc.record({
    what: fc.constantFrom('good', 'bad-signature', 'expired', 'malformed', 'again', 'commit', 'skip', 'pass'),
    node: fc.nat(3),
    sender: fc.nat(2),
    lifeMs: fc.integer({ min: 50, max: 3_000 }),
    waitMs: fc.integer({ min: 0, max: 400 }),
  }),
  { minLength: 5, maxLength: 25 },
);

function formOf(network: TestNetwork, what: string, sender: number, lifeMs: number): TransactionForm {
  const from = SENDERS[sender] as number;
  if (what === 'expired') return { from, expiryMs: network.nowMs() - 1 };
  return { from, expiryMs: network.nowMs() + lifeMs, badSignature: what === 'bad-signature' };
}

describe('the flow of transactions', () => {
  it('adds up after every step: in = known + refused + dropped + executed + waiting', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const network = createTestNetwork();
        const nodes = [...[0, 1, 2, 3].map((index) => network.node(index)), network.fullNode];
        const sent: Uint8Array[] = [];
        let parentId = network.genesisId;
        let height = 0;
        for (const { what, node, sender, lifeMs, waitMs } of steps) {
          const { dissemination } = network.node(node);
          const last = sent.at(-1);
          if (what === 'malformed') void dissemination.submit(new Uint8Array([1, 2, 3]));
          else if (what === 'again' && last) void dissemination.submit(last);
          else if (what === 'commit' || what === 'skip') {
            height += 1;
            const payload = await dissemination.buildPayload({ parentId, timestampMs: network.nowMs() });
            const made = block({ parentId, payload, timestampMs: network.nowMs(), proposer: node, height });
            const ids = sent.map(idOf);
            const skipped = ids.map((id) => ({ id: idFromHex<TransactionId>(id), reason: 'duplicate' as const }));
            const outcome = what === 'commit' ? { executedIds: ids, skipped: [] } : { executedIds: [], skipped };
            for (const each of nodes) each.dissemination.committed(made.id, made.block, outcome);
            parentId = made.id;
          } else if (what !== 'pass') {
            const bytes = transaction(formOf(network, what, sender, lifeMs));
            sent.push(bytes);
            void dissemination.submit(bytes);
          }
          for (const each of nodes) expectBalance(each.dissemination.stats());
          await network.pass(waitMs);
          for (const each of nodes) expectBalance(each.dissemination.stats());
        }
      }),
      { numRuns: 40 },
    );
  });

  it('names the reason of each refusal and of each loss', async () => {
    const network = createTestNetwork();
    const { dissemination } = network.node(0);
    const kept = transaction({ expiryMs: network.nowMs() + 1_000 });
    const results = [kept, transaction({ badSignature: true }), transaction({ expiryMs: 1 }), new Uint8Array([9])].map(
      (bytes) => dissemination.submit(bytes),
    );
    await network.pass(2);
    await Promise.all(results);
    await dissemination.submit(kept);
    await network.pass(5_000);
    const late = block({ parentId: network.genesisId, payload: [], timestampMs: network.nowMs() });
    dissemination.committed(late.id, late.block, { executedIds: [], skipped: [] });
    expect(dissemination.stats().flow).toEqual({
      fromClients: 5,
      fromPeers: 0,
      known: 1,
      refused: { 'bad-signature': 1, expired: 1, malformed: 1 },
      executed: 0,
      dropped: { expired: 1 },
    });
  });
});
