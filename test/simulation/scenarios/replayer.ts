import { decodeFrame, type Frame } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { scripted } from '../attackers/scripted.ts';
import { createCluster } from '../harness/cluster.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** Sent by the liar's member on another chain with the same keys. */
async function framesOfAnotherChain(seed: string, { size, turns }: Stage, member: number): Promise<readonly Frame[]> {
  const weights = Array.from({ length: size }, () => 1);
  const { network, start, progress, peer } = createCluster({ seed, weights, chainName: 'another chain' });
  const frames: Frame[] = [];
  network.tap(({ from, frame }) => {
    const decoded = decodeFrame(frame);
    const name = decoded.ok ? decoded.value.name : undefined;
    if (from === peer(member) && decoded.ok && (name === 'consensus' || name === 'proposal'))
      frames.push(decoded.value);
  });
  start();
  await progress(turns(2), 30_000);
  return frames;
}

export const replayer: Scenario = {
  name: 'replayer',
  about: 'A liar sends frames that its key signed on another chain: none is accepted, and it is blocked.',
  async play(stage) {
    const { size, random } = stage;
    const seed = `replayer/${size}/${random.below(2 ** 30)}`;
    const frames = await framesOfAnotherChain(seed, stage, 0);
    await attackScenario({
      name: 'replayer',
      about: '',
      liars: 'one',
      blockedFor: 'maybe',
      options: { seed },
      code: () =>
        scripted((liar) => {
          const left = [...frames];
          return {
            everyMs: 5,
            act() {
              const next = left.shift();
              if (next) liar.broadcast(next);
            },
          };
        }),
    }).play({ ...stage, random: { ...random, below: () => 0 } });
  },
};
