import { assert } from '@slipstream/primitives';
import type { ReportedEvent } from '../checkers/watched.ts';
import { LIMITS } from '../harness/disseminating.ts';
import type { Scenario } from '../scenario.ts';

const SLOW_BYTES_PER_MS = 4;
const CLIENTS = { everyMs: 12, untilMs: 6_000, dataBytesMax: 4_000 };
/** Proposals and chunks that may wait for a full node, and those between two checks of its queue (slow-followers.ts). */
const BULK_BYTES_MAX = 2 * 1024 * 1024 + 128 * 1024;
/** Crosses the limit: a producer's maximum. */
const CHUNK_BYTES_MAX = LIMITS.producerBytesMax;
/** Votes, certificates and heartbeats are always sent: a kilobyte per view, for eighty views. */
const ALWAYS_BYTES_MAX = 128 * 1024;
const WAITING_BYTES_MAX = BULK_BYTES_MAX + CHUNK_BYTES_MAX + ALWAYS_BYTES_MAX;

export const slowReader: Scenario = {
  name: 'slow-reader',
  about: 'A follower reads far slower than the chain grows: its queue is bounded, validators lose no view, it follows.',
  async play({ cluster, size }) {
    const made = cluster({ observers: 1, clients: CLIENTS });
    const { members, network, nodes, peer, simulation, checks, until } = made;
    const reader = size;
    let reported = false;
    simulation.addChecker('slow reader', (event, { check }) => {
      if (event.type !== 'note' || event.name !== 'report') return;
      if ((event.data as ReportedEvent).type === 'follower.slow') reported = true;
      for (const member of members) {
        const queuedBytes = waitingAt(member);
        check(queuedBytes <= WAITING_BYTES_MAX, 'what waits for a slow reader is bounded', { member, queuedBytes });
      }
    });

    function waitingAt(member: number): number {
      const peers = nodes[member]?.running?.transport?.peers() ?? [];
      return peers.find((other) => other.peer === peer(reader))?.queuedBytes ?? 0;
    }

    // Its upstream, the first member, passes on proposals and chunks of all.
    for (const other of members.slice(1)) network.cut(peer(reader), peer(other));
    made.start();
    await made.progress(3, 10_000);
    network.slowReader(peer(reader), SLOW_BYTES_PER_MS);
    await until('the follower is found to be slow', () => reported, 10_000);
    await made.run(2_000);
    assert(checks.nullified.size === 0, `a slow reader costs no view (${[...checks.nullified.keys()]})`);
    network.slowReader(peer(reader), undefined);
    const height = made.finalHeight(members);
    await until('the follower has caught up', () => made.finalHeight([reader]) >= height, 30_000);
  },
};
