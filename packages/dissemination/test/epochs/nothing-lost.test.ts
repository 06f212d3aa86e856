/**
 * Over three epochs nothing is lost, nothing is executed twice, and no peer is blamed (D2, D3, D18 to D20): frames lost between random pairs,
 * two members that leave at once, one that comes back, and nodes that move one after another.
 */
import { type Block, type BlockId, type Epoch, epoch, hexOf } from '@slipstream/types';
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
} from '../harness/network.ts';
import { randomOf } from '../harness/random.ts';

const COMMITTEES = [
  [0, 1, 2, 3, 4, 5],
  [3, 2, 4, 5, 6],
  [0, 6, 5, 4, 3],
];
const NODES = [0, 1, 2, 3, 4, 5, 6];
/** Of about 200 ms. */
const EPOCH_ROUNDS = 12;
const MOVE_ROUNDS = 4;
/** Longer than a stranded chunk and the longest fallback of a home. */
const HEALED_ROUNDS = 45;
const LOSSY_ROUNDS = COMMITTEES.length * EPOCH_ROUNDS;

interface ChainBlock {
  readonly id: BlockId;
  readonly made: Block;
  readonly executedIds: readonly string[];
}

/** The chain, and how far each node is on it. */
function createChain(network: TestNetwork) {
  const blocks: ChainBlock[] = [];
  const chunks = new Set<string>();
  const executed = new Set<string>();
  const epochs = new Map(NODES.map((number) => [number, 0]));
  const heights = new Map(NODES.map((number) => [number, 0]));
  let now: Epoch = epoch(0);

  /** D3. Undefined: a chunk is not here yet. */
  async function judgedBy(node: Node, { id, made }: Pick<ChainBlock, 'id' | 'made'>) {
    let judged: readonly string[] | undefined;
    const stopped = new AbortController();
    node.dissemination.payloadOf(id, made, stopped.signal).then(
      (found) => {
        judged = found.flatMap(({ ids, verdicts }) => ids.filter((_, i) => verdicts[i] === 'good'));
      },
      () => {},
    );
    for (let waited = 0; waited < 4_000 && judged === undefined; waited += 10) await network.pass(10);
    stopped.abort();
    return judged;
  }

  /** Of the epoch that the node is in. */
  async function catchUp(number: number): Promise<void> {
    const node = network.node(number);
    for (;;) {
      const at = heights.get(number) ?? 0;
      const next = blocks[at];
      if (next === undefined || next.made.epoch > (epochs.get(number) ?? 0)) return;
      const judged = await judgedBy(node, next);
      if (judged === undefined) return;
      expect(new Set(judged)).toEqual(new Set([...next.executedIds, ...judged.filter((hex) => executed.has(hex))]));
      node.dissemination.committed(next.id, next.made, { executedIds: next.executedIds, skipped: [] });
      heights.set(number, at + 1);
    }
  }

  async function propose(leader: number, proposer: number): Promise<void> {
    await catchUp(leader);
    if (epochs.get(leader) !== now || heights.get(leader) !== blocks.length) return;
    const node = network.node(leader);
    const parentId = blocks.at(-1)?.id ?? network.genesisId;
    const timestampMs = network.nowMs();
    const payload = await node.dissemination.buildPayload({ parentId, timestampMs });
    const form = { parentId, payload, timestampMs, proposer, height: blocks.length + 1, epoch: now };
    const { id, block: made } = block(form);
    for (const { chunkId } of payload) {
      expect(chunks).not.toContain(hexOf(chunkId)); // D2
      chunks.add(hexOf(chunkId));
    }
    const verdict = node.dissemination.checkPayload(id, made, FOREVER);
    await network.pass(10);
    expect(await verdict).toEqual({ type: 'valid' });
    const judged = await judgedBy(node, { id, made });
    // Execution skips an id that it knows (D4).
    const executedIds = [...new Set(judged ?? [])].filter((hex) => !executed.has(hex));
    for (const hex of executedIds) executed.add(hex);
    blocks.push({ id, made, executedIds });
    for (const number of NODES) await catchUp(number);
  }

  return {
    propose,
    catchUp,
    executed,
    epochOf: (number: number) => epochs.get(number) ?? 0,
    get epoch() {
      return now;
    },
    close() {
      now = epoch(now + 1);
    },
    /** Once it has the last block of its epoch. */
    move(number: number): void {
      const at = epochs.get(number) ?? 0;
      const closed = blocks.filter(({ made }) => made.epoch <= at);
      if (at >= now || (heights.get(number) ?? 0) < closed.length) return;
      network.node(number).move(closed.at(-1)?.made.timestampMs ?? network.nowMs());
      epochs.set(number, at + 1);
    },
    isComplete: () => NODES.every((number) => heights.get(number) === blocks.length),
  };
}

describe('over three epochs', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'nothing is lost, nothing is executed twice, and no peer is blamed, with seed %i',
    async (seed) => {
      const random = randomOf(seed);
      const network = createTestNetwork({ committees: COMMITTEES, members: 6 });
      const chain = createChain(network);
      const sent = new Set<string>();
      for (let round = 0; round < LOSSY_ROUNDS + HEALED_ROUNDS; round++) {
        const isLossy = round < LOSSY_ROUNDS;
        if (!isLossy || random(4) === 0) network.heal();
        else network.lose(peerKey(random(NODES.length)), peerKey(random(NODES.length)));
        for (let i = 0; isLossy && i < random(4); i++) {
          const bytes = transaction({ from: accountOf(random(5), random(3), 5), expiryMs: network.nowMs() + 60_000 });
          const result = network.node(random(NODES.length)).dissemination.submit(bytes);
          await network.pass(2);
          if ((await result).type === 'accepted') sent.add(idOf(bytes));
        }
        const isLast = round % EPOCH_ROUNDS === EPOCH_ROUNDS - 1;
        if (isLast && chain.epoch + 1 < COMMITTEES.length) {
          for (const number of NODES) if (chain.epochOf(number) === chain.epoch) network.node(number).seal();
          chain.close();
        }
        for (const number of NODES) {
          await chain.catchUp(number);
          if (!isLossy || random(MOVE_ROUNDS) === 0) chain.move(number);
        }
        await network.pass(20 + random(400));
        const committee = COMMITTEES[chain.epoch] as readonly number[];
        const proposer = random(committee.length);
        await chain.propose(committee[proposer] as number, proposer);
      }
      expect(chain.isComplete()).toBe(true);
      expect([...sent].filter((id) => !chain.executed.has(id))).toEqual([]);
      for (const number of NODES) {
        expect(network.node(number).offences).toEqual([]);
        expect(network.node(number).evidence).toEqual([]);
        expect(network.node(number).dissemination.stats().pool.transactions).toBe(0);
      }
    },
  );
});
