/** Epochs that follow one another, sealed by script, with the same members: rule 10 under the network's faults. */
import { uniformLatency } from '@slipstream/simulator';
import type { Cluster } from '../harness/cluster.ts';
import type { Scenario } from '../scenario.ts';

/** A boundary is possible 8 blocks later. */
const SEALS_EVERY = 6;
const BLOCKS_OF_EPOCH = SEALS_EVERY + 8;
const EPOCHS = 4;

const application = { sealsEvery: SEALS_EVERY } as const;

export const epochOf = (cluster: Cluster, index: number): number =>
  cluster.node(index).running?.consensus?.status().epoch ?? -1;

export const untilEpoch = (cluster: Cluster, epoch: number, withinMs: number, of: readonly number[] = cluster.honest) =>
  cluster.until(`epoch ${epoch}`, () => of.every((index) => epochOf(cluster, index) >= epoch), withinMs);

export const epochs: Scenario = {
  name: 'epochs',
  about:
    'Four epochs follow one another: every node moves, at most one view more than the blocks need is lost at each.',
  async play({ turns, cluster: create }) {
    const cluster = create({ application, observers: 1 });
    cluster.start();
    await untilEpoch(cluster, EPOCHS, EPOCHS * BLOCKS_OF_EPOCH * 1_000);
    await cluster.progress(turns(1), 30_000);
  },
};

export const replaceAll: Scenario = {
  name: 'replace-all',
  about: 'One member is replaced at each boundary, until none of the first is left; nodes that left follow.',
  sizes: [4, 5, 7],
  async play({ size, turns, cluster: create }) {
    const nodes = Array.from({ length: 2 * size }, (_, index) => index);
    const cluster = create({
      application,
      observers: size,
      committees: (epoch) => nodes.slice(Math.min(epoch, size), Math.min(epoch, size) + size),
    });
    cluster.start();
    await untilEpoch(cluster, size, size * BLOCKS_OF_EPOCH * 1_500, nodes);
    await cluster.progress(turns(1), 30_000, nodes);
  },
};

export const joinerDown: Scenario = {
  name: 'joiner-down',
  about:
    'The member that joins at a boundary is down, and the one that left is gone at once: the members that stay go on, and the joiner votes once it is up.',
  sizes: [4, 7],
  async play({ size, turns, cluster: create }) {
    const joiner = size;
    const staying = Array.from({ length: size - 1 }, (_, index) => index + 1);
    const cluster = create({ application, observers: 1, committees: () => [...staying, joiner] });
    cluster.start([0, ...staying]);
    await untilEpoch(cluster, 1, BLOCKS_OF_EPOCH * 3_000, [0, ...staying]);
    cluster.node(0).crash('lose-none');
    await cluster.progress(turns(1), 120_000, staying);
    cluster.mark('the joiner comes up');
    cluster.node(joiner).start();
    await cluster.until('the joiner follows', () => epochOf(cluster, joiner) >= 1, 60_000);
    await cluster.progress(turns(2), 120_000, [...staying, joiner]);
  },
};

export const boundaryUnderLoss: Scenario = {
  name: 'boundary-under-loss',
  about: 'A third of all frames is lost over several boundaries: every node moves, by resent certificates and ranges.',
  async play({ turns, cluster: create }) {
    const cluster = create({
      application,
      observers: 1,
      network: {
        latency: uniformLatency(5, 60),
        lossRate: 0.33,
        duplicateRate: 0.05,
        reorderRate: 0.1,
        reorderMs: 300,
      },
    });
    cluster.start();
    await untilEpoch(cluster, 2, 900_000);
    cluster.mark('the network is well again');
    cluster.network.setAllLinks({ latency: uniformLatency(1, 5), lossRate: 0, duplicateRate: 0, reorderRate: 0 });
    await cluster.healed();
    await untilEpoch(cluster, EPOCHS, 120_000);
    await cluster.progress(turns(1), 30_000);
  },
};

export const partitionOverBoundary: Scenario = {
  name: 'partition-over-boundary',
  about:
    'A minority is cut off before a boundary and returns epochs later: it passes each boundary by the certificate that ended it.',
  sizes: [4, 7, 10],
  async play({ turns, faultyMax, random, cluster: create }) {
    const cluster = create({ application, observers: 1 });
    cluster.start();
    await cluster.progress(2, 10_000);
    const cut = [...cluster.members].sort(() => random.unit() - 0.5).slice(0, faultyMax);
    const others = [...cluster.members, cluster.members.length].filter((index) => !cut.includes(index));
    cluster.mark(`cut off: ${cut}`);
    cluster.network.partition([cut, others].map((side) => side.map(cluster.peer)));
    await untilEpoch(cluster, 3, 300_000, others);
    cluster.mark('healed');
    cluster.network.healAll();
    await cluster.healed();
    await untilEpoch(cluster, 3, 60_000);
    await cluster.progress(turns(1), 30_000);
  },
};
