/** Limits of a block that fall at a boundary of whole nodes (D14, epochs.md "Parameters"). */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES, EPOCH_MS } from '@slipstream/simulator';
import type { Units } from '@slipstream/types';
import type { Clients } from '../harness/whole/clients.ts';
import type { Sent } from '../harness/whole/record.ts';
import type { Scenario } from '../scenario.ts';
import { auditFiles, finish } from './whole.ts';
import { EPOCH_MS_MAX, governed } from './whole-epochs.ts';

/** Room for what governance and the small transactions take, a few at once. */
const LOWERED: Units = [3_000, 20_000, 1_000, 8_000, 4_000];
/** Alone it takes more bandwidth. */
const LARGE_BYTES = 3_500;
const LARGE_EVERY_MS = 120;
/** Of one that is refused, from its sending or the boundary on: a client asks again each second. */
const REFUSED_MS_MAX = 8_000;
const AFTER_MS = 5_000;

export const lowerLimits: Scenario = {
  name: 'lower-limits',
  about:
    'The limits of a block fall at a boundary while pools and chunks of whole nodes hold what the new ones refuse: nothing is lost or final twice, chunks of the epoch before are executed, and the rest is refused early, as over-limit.',
  sizes: [4, 7],
  long: true,
  async play(stage) {
    const { random } = stage;
    const made = governed(stage, 1, [{ limits: LOWERED }]);
    const { cluster, record, clients, indices } = made;
    const { simulation, until, run, restart, members, mark } = cluster;
    const large: Sent[] = [];
    let endedMs = Number.POSITIVE_INFINITY;

    function sendLarge(): void {
      if (simulation.nowMs > endedMs + AFTER_MS) return;
      large.push(sendOne(clients, random));
      simulation.schedule(LARGE_EVERY_MS, sendLarge);
    }

    cluster.start();
    simulation.schedule(LARGE_EVERY_MS, sendLarge);
    await until('epoch 0 ends', () => record.boundaries.has(0), EPOCH_MS_MAX);
    endedMs = simulation.nowMs;
    await run(random.below(300));
    const victim = random.pick(members);
    mark(`power cut after the boundary: ${victim}`);
    restart(victim, random.pick(CRASH_MODES));
    await run(AFTER_MS + REFUSED_MS_MAX);
    const isSettled = ({ id }: Sent) => record.places.has(id) || record.refused.has(id);
    const open = large.filter((each) => !isSettled(each));
    assert(
      open.length === 0,
      `each large one is final or refused soon (${open.length} of ${large.length} are neither)`,
    );
    const final = large.filter(({ id }) => record.places.has(id));
    const refused = large.length - final.length;
    assert(final.length > 0 && refused > 0, `some are final (${final.length}), some refused (${refused})`);
    const last = large.at(-1) as Sent;
    assert(EPOCH_MS + simulation.nowMs < last.expiryMs, 'the last ones have not expired meanwhile');
    await finish(made, indices);
    await auditFiles(made, stage, indices);
  },
};

function sendOne(clients: Clients, random: { bytes(length: number): Uint8Array; below(end: number): number }): Sent {
  const value = random.bytes(LARGE_BYTES);
  const actions = [{ kind: 'setData', name: `large${random.below(3)}`, value }] as const;
  return clients.send({ account: random.below(20), actions, mayBeOverLimit: true });
}
