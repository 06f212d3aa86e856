import type { Scenario } from '../scenario.ts';

export const oneWayPartition: Scenario = {
  name: 'one-way-partition',
  about: 'All frames from one validator are lost, then all to another, then both: blocks stay final, and all catch up.',
  async play({ size, turns, random, faultyMax, cluster }) {
    const { start, progress, healed, network, members, peer, run, mark } = cluster();
    const mute = random.below(size);
    const deaf = (mute + 1 + random.below(size - 1)) % size;
    const others = (not: readonly number[]) => members.filter((member) => !not.includes(member));
    start();
    await progress(3, 10_000);
    mark(`no peer receives frames of ${mute}`);
    for (const other of others([mute])) network.dropFrames(peer(mute), peer(other));
    await progress(turns(2), 60_000, others([mute]));
    network.healAll();
    await progress(turns(1), 20_000);
    mark(`${deaf} receives nothing`);
    for (const other of others([deaf])) network.dropFrames(peer(other), peer(deaf));
    await progress(turns(2), 60_000, others([deaf]));
    mark(`and no peer receives frames of ${mute}`);
    for (const other of others([mute])) network.dropFrames(peer(mute), peer(other));
    if (faultyMax >= 2) await progress(turns(1), 60_000, others([deaf, mute]));
    else await run(5000);
    network.healAll();
    mark('healed');
    await healed();
    await progress(turns(2), 20_000);
  },
};
