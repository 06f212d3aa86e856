import type { Scenario } from '../scenario.ts';

/** Three unresponsive seconds, another upstream, the catch-up. */
const FAILOVER_MS = 8_000;

export const follower: Scenario = {
  name: 'follower',
  about: 'A follower connected to two validators changes its upstream when one becomes unresponsive or dies.',
  sizes: [4, 7],
  async play({ size, cluster }) {
    const { start, progress, network, peer, node, members } = cluster({ observers: 1 });
    const self = size;
    const [first, second, ...others] = members as [number, number, ...number[]];
    for (const other of others) network.cut(peer(self), peer(other));
    start();
    await progress(25, 10_000, [self]);
    network.dropFrames(peer(first), peer(self));
    await progress(25, FAILOVER_MS + 8_000, [self]);
    network.heal(peer(first), peer(self));
    await progress(10, 8_000, [self]);
    node(second).crash('lose-all');
    await progress(25, FAILOVER_MS + 20_000, [self]);
    node(second).start();
    node(first).crash('lose-all');
    await progress(25, FAILOVER_MS + 20_000, [self]);
  },
};
