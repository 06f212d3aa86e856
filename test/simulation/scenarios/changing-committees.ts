/** Committees that change while nodes are offline, slow or blocked (rule 10). */
import { assert } from '@slipstream/primitives';
import { blockIdOf } from '@slipstream/types';
import { corrupted, frameOf } from '../attackers/corrupted.ts';
import type { Scenario } from '../scenario.ts';
import { epochOf, untilEpoch } from './epochs.ts';

const SEALS_EVERY = 2;
/** 8 blocks above the seal. */
const BLOCKS_OF_EPOCH = SEALS_EVERY + 8;
const application = { sealsEvery: SEALS_EVERY } as const;
const MISSED = 5;

const from = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => first + at);

export const behindByEpochs: Scenario = {
  name: 'behind-by-5-epochs',
  about:
    'A member is off while five epochs end and every other member that it knows leaves for good: it comes up, passes each boundary, and votes in the newest epoch.',
  sizes: [4, 5, 7],
  async play({ size, turns, random, cluster: create }) {
    const others = size - 1;
    // It stays a member; one of the others is replaced at each boundary, in the end all.
    const cluster = create({
      application,
      observers: others,
      committees: (epoch) => [0, ...from(1 + Math.min(epoch, others), others)],
    });
    const { node, mark } = cluster;
    const left = from(1, others);
    const joined = from(1 + others, others);
    cluster.start();
    await cluster.progress(1 + random.below(BLOCKS_OF_EPOCH - 3), 30_000, [0, ...left]);
    node(0).crash('lose-none');
    const epochs = Math.max(MISSED, others);
    await untilEpoch(cluster, epochs, epochs * BLOCKS_OF_EPOCH * 3_000, [...left, ...joined]);
    for (const leaver of left) node(leaver).crash('lose-all');
    await cluster.progress(turns(1), 120_000, joined);
    mark('it comes up');
    node(0).start();
    const newest = () => Math.max(...joined.map((index) => epochOf(cluster, index)));
    await cluster.until('it is in the newest epoch', () => epochOf(cluster, 0) === newest(), 60_000);
    await cluster.progress(turns(1), 60_000, [0, ...joined]);
    // Without its votes no more may fail.
    node(joined[0] as number).crash('lose-none');
    await cluster.progress(turns(1), 120_000, [0, ...joined.slice(1)]);
  },
};

export const slowSeal: Scenario = {
  name: 'slow-seal',
  about:
    'Execution takes up to a second, of some members longer: seals are certified many blocks late, and known to some members later than to others; no member is blocked, every epoch ends.',
  async play({ turns, random, cluster: create }) {
    const slowMs = 300 + random.below(700);
    const cluster = create({
      application: { ...application, commitsCertified: true, executeMsMax: slowMs },
      applicationOf: (member) => (member % 3 === 0 ? { executeMsMax: 2 * slowMs } : {}),
      observers: 1,
    });
    cluster.start();
    await untilEpoch(cluster, 3, 600_000);
    await cluster.progress(turns(1), 120_000);
    assert(cluster.checks.blocking.blockedMembers.length === 0, 'no member is blocked');
  },
};

export const twoLeave: Scenario = {
  name: 'two-leave',
  about:
    'Two members leave at one boundary and are gone at once: the members that stay are a quorum of both committees.',
  onlySizes: [7, 10],
  async play({ size, turns, random, cluster: create }) {
    const staying = from(2, size - 2);
    const cluster = create({ application, committees: () => staying });
    cluster.start();
    await untilEpoch(cluster, 1, 60_000, random.below(2) === 0 ? cluster.members : staying);
    for (const leaver of [0, 1]) cluster.node(leaver).crash('lose-all');
    await cluster.progress(turns(2), 120_000, staying);
    await untilEpoch(cluster, 3, 120_000, staying);
  },
};

export const blockedOverEpochs: Scenario = {
  name: 'trap-blocked-over-epochs',
  about:
    'A leader that equivocated is blocked, and the committee turns so that its index is that of an honest member: it stays blocked, and no other member is.',
  sizes: [4, 7],
  async play({ size, turns, cluster: create }) {
    const liarIndex = 1;
    // All keep their places in turn: an index names another member in each epoch.
    const cluster = create({
      application,
      committees: (epoch) => from(0, size).map((at) => (at + epoch) % size),
      byzantine: new Map([
        [
          liarIndex,
          corrupted((liar) => async (frame, to) => {
            if (frame.name !== 'proposal' || frame.value.block.epoch > 0) return [frame];
            const { kind, block } = frame.value;
            const rival = { ...block, timestampMs: block.timestampMs + 1 + (to % 2) };
            return [
              frame,
              frameOf('proposal', {
                ...frame.value,
                block: rival,
                signature: await liar.proposal(kind, rival, blockIdOf(rival)),
              }),
            ];
          }),
        ],
      ]),
    });
    const { honest, peer, node, checks } = cluster;
    cluster.start();
    await cluster.until(
      'it is blocked by all',
      () => checks.blocking.blockedBy(liarIndex).size === honest.length,
      60_000,
    );
    for (let epoch = 1; epoch <= 3; epoch++) {
      await untilEpoch(cluster, epoch, 120_000, honest);
      for (const index of honest) {
        const { blocked } = node(index).running?.consensus?.status() ?? { blocked: [] };
        const committee = from(0, size).map((at) => (at + epochOf(cluster, index)) % size);
        const names = blocked.map((at) => committee[at]);
        assert(
          names.join() === `${liarIndex}`,
          `${index} blocks ${liarIndex} alone, not ${names} (${peer(liarIndex)})`,
        );
      }
    }
    await cluster.progress(turns(1), 60_000, honest);
  },
};
