/** D1, D2 and D3 over random runs: frames lost between random pairs, rotating leaders, then a healed network. */
import { type Block, type BlockId, type ChunkReference, hexOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import {
  accountOf,
  block,
  createTestNetwork,
  FOREVER,
  idOf,
  type Node,
  peerKey,
  type TestNetwork,
  transaction,
} from './harness/network.ts';
import { randomOf } from './harness/random.ts';

const MEMBERS = [0, 1, 2, 3] as const;
const ROUNDS = 25;
/** Longer than the longest fallback of a home, in rounds of about 200 ms. */
const HEALED_ROUNDS = 40;

interface Chain {
  parentId: BlockId;
  height: number;
  readonly chunks: string[];
  readonly executed: Map<string, number>;
}

async function settled<T>(network: TestNetwork, promise: Promise<T>, waitMs: number): Promise<T | undefined> {
  let value: T | undefined;
  promise.then(
    (result) => {
      value = result;
    },
    () => undefined,
  );
  for (let waited = 0; waited < waitMs && value === undefined; waited += 10) await network.pass(10);
  return value;
}

/** D3: a node's verdicts, as text. */
async function judgedBy(network: TestNetwork, node: Node, id: BlockId, made: Block): Promise<readonly string[]> {
  const chunks = await settled(network, node.dissemination.payloadOf(id, made, FOREVER), 4_000);
  return (chunks ?? []).flatMap(({ ids, verdicts }) => ids.map((hex, i) => `${hex} ${verdicts[i] === 'good'}`));
}

async function commit(
  network: TestNetwork,
  chain: Chain,
  leader: number,
  payload: readonly ChunkReference[],
): Promise<void> {
  const form = { parentId: chain.parentId, payload, timestampMs: network.nowMs(), proposer: leader };
  const { id, block: made } = block({ ...form, height: chain.height + 1 });
  const judged: (readonly string[])[] = [];
  for (const index of MEMBERS) judged.push(await judgedBy(network, network.node(index), id, made));
  for (const other of judged) expect(other).toEqual(judged[0]);
  const ids = (judged[0] ?? []).filter((text) => text.endsWith(' true')).map((text) => text.slice(0, 64));
  const executedIds = ids.filter((hex) => !chain.executed.has(hex));
  for (const hex of executedIds) chain.executed.set(hex, (chain.executed.get(hex) ?? 0) + 1);
  for (const { chunkId } of payload) {
    expect(chain.chunks).not.toContain(hexOf(chunkId)); // D2
    chain.chunks.push(hexOf(chunkId));
  }
  for (const index of MEMBERS) network.node(index).dissemination.committed(id, made, { executedIds, skipped: [] });
  chain.parentId = id;
  chain.height += 1;
}

/** D1: a node other than the producer serves each attested chunk until it is on the chain. */
async function expectRetrievable(network: TestNetwork, chain: Chain): Promise<void> {
  for (const index of MEMBERS) {
    for (const { chunkId, producer } of network.node(index).attested) {
      if (chain.chunks.includes(hexOf(chunkId))) continue;
      const others = MEMBERS.filter((member) => member !== producer);
      const served = await Promise.all(others.map((other) => network.node(other).dissemination.chunkById(chunkId)));
      expect(served.some((bytes) => bytes !== undefined)).toBe(true);
    }
  }
}

describe('dissemination', () => {
  it.each([1, 2, 3, 4, 5, 6])('keeps D1, D2 and D3, and loses nothing, with seed %i', async (seed) => {
    const random = randomOf(seed);
    const network = createTestNetwork();
    const chain: Chain = { parentId: network.genesisId, height: 0, chunks: [], executed: new Map() };
    const sent: string[] = [];
    for (let round = 0; round < ROUNDS + HEALED_ROUNDS; round++) {
      if (round >= ROUNDS || random(4) === 0) network.heal();
      else network.lose(peerKey(random(4)), peerKey(random(4)));
      for (let i = 0; round < ROUNDS && i < random(4); i++) {
        const bytes = transaction({ from: accountOf(random(4), random(3)), expiryMs: network.nowMs() + 60_000 });
        const results = Array.from({ length: 1 + random(2) }, () =>
          network.node(random(4)).dissemination.submit(bytes),
        );
        await network.pass(2);
        if ((await Promise.all(results)).some(({ type }) => type === 'accepted')) sent.push(idOf(bytes));
      }
      await network.pass(20 + random(400));
      const leader = round % MEMBERS.length;
      const request = { parentId: chain.parentId, timestampMs: network.nowMs() };
      await commit(network, chain, leader, await network.node(leader).dissemination.buildPayload(request));
      await expectRetrievable(network, chain);
    }
    expect(new Set(chain.executed.keys())).toEqual(new Set(sent));
    for (const index of MEMBERS) expect(network.node(index).offences).toEqual([]);
    for (const index of MEMBERS) expect(network.node(index).dissemination.stats().pool.transactions).toBe(0);
  });
});
