import type { BlockId } from '@slipstream/types';
import { expect, it } from 'vitest';
import { chunk, frameOf } from '../harness/chunks.ts';
import {
  accountOf,
  block,
  createTestNetwork,
  idOf,
  peerKey,
  type TestNetwork,
  transaction,
} from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { idsOf } from '../harness/steps.ts';

const BYZANTINE = 3;
const HONEST = [0, 1, 2];

/** Blocks of member 0, one each 500 ms; the Byzantine member's views fail. Returns executed ids. */
async function lead(network: TestNetwork, count: number): Promise<Set<string>> {
  const executed = new Set<string>();
  let parentId: BlockId = network.genesisId;
  for (let height = 1; height <= count; height++) {
    await network.pass(500);
    const timestampMs = network.nowMs();
    const { dissemination } = network.node(0);
    const payload = await dissemination.buildPayload({ parentId, timestampMs });
    const ids = (await idsOf(network.node(0), payload)).filter((id) => !executed.has(id));
    for (const id of ids) executed.add(id);
    const made = block({ parentId, payload, timestampMs, height, proposer: 0 });
    const parentView = (made.block.view - (height % 3 === 0 ? 2 : 1)) as typeof made.block.view;
    for (const index of HONEST) {
      const node = network.node(index).dissemination;
      node.trackBlock(made.id, { ...made.block, parentView });
      node.committed(made.id, { ...made.block, parentView }, { executedIds: ids, skipped: [] });
    }
    parentId = made.id;
  }
  return executed;
}

it('a home validator that packs forwarded transactions without a certificate blocks none of them', async () => {
  const network = createTestNetwork();
  const from = accountOf(BYZANTINE); // its home validator
  for (const index of HONEST) network.lose(peerKey(index), peerKey(BYZANTINE)); // the home validator does not answer
  const submitted = Array.from({ length: 300 }, () => transaction({ from, expiryMs: START_MS + 25_000 }));
  const answers = submitted.map((bytes) => network.node(1).dissemination.submit(bytes));
  await network.pass(30);
  expect((await Promise.all(answers)).every(({ type }) => type === 'accepted')).toBe(true);
  let sequence = 1;
  const packAll = () => {
    for (const bytes of submitted) {
      const times = { createdMs: network.nowMs(), expiryMs: network.nowMs() + 30_000 };
      const sent = frameOf(chunk([bytes], { producer: BYZANTINE, sequence: sequence++, ...times }));
      for (const index of HONEST) void network.node(index).dissemination.onChunk(peerKey(BYZANTINE), sent);
    }
  };
  packAll();
  await network.pass(4_000);
  packAll(); // before the first chunks count as stranded
  const executed = await lead(network, 30);
  expect(submitted.filter((bytes) => !executed.has(idOf(bytes)))).toEqual([]);
  expect(network.node(1).offences).toEqual([]);
});

it('transactions in a certified chunk are packed by no other validator', async () => {
  const network = createTestNetwork();
  const bytes = transaction({ from: accountOf(BYZANTINE), expiryMs: START_MS + 25_000 });
  const made = network.node(BYZANTINE).dissemination.submit(bytes);
  await network.pass(30);
  expect((await made).type).toBe('accepted');
  await network.pass(12_000); // no block comes
  const headers = HONEST.flatMap((index) => network.node(index).log.filter(({ kind }) => kind === 'own-chunk-header'));
  expect(headers).toEqual([]);
  expect(network.node(0).dissemination.stats().chunks.pending).toBe(1);
});
