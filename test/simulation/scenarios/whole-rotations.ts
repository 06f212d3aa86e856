/** Whole nodes whose BLS and network keys change (epochs.md, "The node"): rules N1 to N6 while each node takes another name. */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES, uniformLatency } from '@slipstream/simulator';
import { keysIn, usesKeys } from '../harness/whole/governance.ts';
import type { Scenario } from '../scenario.ts';
import { auditFiles, finish } from './whole.ts';
import { EPOCH_MS_MAX, governed } from './whole-epochs.ts';

/** Of each node: one after another, then all at once. */
const ROTATIONS = 2;
/** From the boundary on; with `--nodes 7` the last one has its turn after 39 s. */
const RENAMED_MS_MAX = 60_000;

const LOSSY = { latency: uniformLatency(2, 20), lossRate: 0.05, duplicateRate: 0.02, reorderRate: 0.05, reorderMs: 60 };

export const rotateAll: Scenario = {
  name: 'rotate-all',
  about:
    'Every BLS and network key of whole nodes is rotated, one node after another and then all at one boundary, under load, loss and power cuts: nothing is lost or final twice, and no validator signs with both.',
  long: true,
  async play(stage) {
    const { random, size } = stage;
    const order = Array.from({ length: size }, (_, index) => index).sort(() => random.unit() - 0.5);
    const steps = [...order.map((each) => ({ rotates: [each] })), { rotates: order }];
    const made = governed(stage, 1, steps, { furtherKeys: ROTATIONS, network: LOSSY });
    const { cluster, record, indices } = made;
    const { until, run, node, restart, mark, network, members, healed } = cluster;
    cluster.start();
    for (const [epoch, { rotates }] of steps.entries()) {
      const turn = epoch < size ? 1 : ROTATIONS;
      await until(`epoch ${epoch} ends`, () => record.boundaries.has(epoch), 2 * EPOCH_MS_MAX);
      for (const index of rotates) {
        const keys = keysIn(cluster, index, turn);
        assert(
          usesKeys(record, epoch + 1, keys),
          `node ${index} has its keys of rotation ${turn} in epoch ${epoch + 1}`,
        );
      }
      if (random.chance(0.5)) {
        await run(random.below(4_000));
        const victim = random.pick(members);
        mark(`power cut after the boundary: ${victim}`);
        restart(victim, random.pick(CRASH_MODES));
      }
    }
    network.setAllLinks({ lossRate: 0, duplicateRate: 0, reorderRate: 0 });
    await healed(indices);
    const isNamed = (index: number) =>
      node(index).running?.transport?.self === keysIn(cluster, index, ROTATIONS).peerKey;
    await until('all use their newest network keys', () => members.every(isNamed), RENAMED_MS_MAX);
    await finish(made, indices);
    await auditFiles(made, stage, indices);
  },
};
