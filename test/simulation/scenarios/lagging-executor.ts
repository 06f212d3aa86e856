import type { Scenario } from '../scenario.ts';

export const laggingExecutor: Scenario = {
  name: 'lagging-executor',
  about:
    'One validator takes up to 2 s to execute a block: others certify without it, it still certifies blocks long final.',
  async play({ size, turns, random, cluster }) {
    const lagging = random.below(size);
    const { start, progress, until, members, peer, checks, node } = cluster({
      applicationOf: (member) => (member === lagging ? { executeMsMax: 2000 } : {}),
    });
    start();
    await progress(30, 60_000);
    const certified = (member: number) => checks.finality.certifiedHeightOf(peer(member));
    await until('all certify', () => members.every((member) => certified(member) >= 20), 10_000);
    node(lagging).crash('lose-all');
    node(lagging).start();
    await progress(turns(2), 30_000);
  },
};
