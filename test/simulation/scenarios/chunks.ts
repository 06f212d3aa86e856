/** The real dissemination without lies, through crashes and power cuts. */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES } from '@slipstream/simulator';
import { FRAMES } from '@slipstream/types';
import type { Scenario } from '../scenario.ts';

const CLIENTS = { everyMs: 50, untilMs: 4_000 };
const IN_BLOCKS_WITHIN_MS = 40_000;

export const transactions: Scenario = {
  name: 'transactions',
  about: 'Clients at every validator: each accepted transaction is in a block, and D1 to D3 hold on every event.',
  async play({ cluster, size }) {
    const made = cluster({ clients: { ...CLIENTS, acks: 'mixed' } });
    made.start();
    await made.run(CLIENTS.untilMs);
    await made.until('all in blocks', () => made.chunks.outstanding.size === 0, IN_BLOCKS_WITHIN_MS);
    assert(made.chunks.committed.size >= size, `there were chunks (${made.chunks.committed.size})`);
    assert(made.checks.nullified.size === 0, 'no view is lost');
  },
};

export const deadProducer: Scenario = {
  name: 'dead-producer',
  about:
    'A producer dies as its chunk is certified, which one validator lacks: that one fetches it, all execute it (D1).',
  sizes: [4, 7, 10],
  async play({ size, random, cluster }) {
    const made = cluster({ clients: { ...CLIENTS, acks: 'always' } });
    const { network, peer, members, chunks, until, node } = made;
    const producer = random.below(size);
    const left = random.pick(members.filter((member) => member !== producer));
    made.start();
    await made.run(random.below(2_000));
    network.dropFrames(peer(producer), peer(left));
    const before = new Set(chunks.certified);
    let certified: string | undefined;
    made.simulation.addChecker('producer', (event) => {
      if (certified !== undefined || event.type !== 'frame-sent' || event.from !== peer(producer)) return;
      if (event.frame[0] !== FRAMES.chunkCertified.kind) return;
      certified = [...chunks.certified].find((hex) => !before.has(hex) && !chunks.committed.has(hex));
    });
    await until('a chunk is certified', () => certified !== undefined, 20_000);
    node(producer).crash(random.pick(CRASH_MODES));
    made.mark(`the producer ${producer} of ${certified} is dead; ${left} never had it`);
    const alive = members.filter((member) => member !== producer);
    await until('its chunk is in a block', () => chunks.committed.has(certified as string), 20_000);
    const height = made.finalHeight(alive);
    await made.progress(2, 20_000, alive);
    assert(made.finalHeight([left]) >= height, 'the validator without the chunk fetched and executed it');
  },
};

export const transactionsAndPowerCuts: Scenario = {
  name: 'transactions-and-power-cuts',
  about: 'Validators lose power repeatedly: acknowledged chunks are durable (D1), no chunk is in two blocks (D2).',
  async play({ random, cluster }) {
    const made = cluster({ clients: { ...CLIENTS, untilMs: 6_000 }, consensus: { historyQueryMs: 20 } });
    made.start();
    for (let round = 0; round < 8; round++) {
      await made.run(200 + random.below(800));
      made.restart(random.pick(made.members), random.pick(CRASH_MODES));
    }
    await made.healed();
    await made.run(5_000);
    assert(made.chunks.committed.size > 0, 'there were chunks');
  },
};
