/** Link faults: each sets conditions between victims and others; the end of an episode clears them. */
import type { SeededRandom } from '@slipstream/simulator';
import type { FaultKind, Shape } from './fault-kind.ts';
import { CLEAR, type LinkConditions } from './link.ts';
import type { Fault, Site } from './site.ts';

const STOPPED: LinkConditions = { ...CLEAR, stopped: true };

/** Between a victim and every other node. */
function around(site: Site, { victims }: Fault, conditions: LinkConditions, way: 'both' | 'out' | 'in'): void {
  const others = allNames(site).filter((name) => !victims.includes(name));
  for (const victim of victims) {
    for (const other of others) {
      if (way !== 'in') site.fabric.set(victim, other, conditions);
      if (way !== 'out') site.fabric.set(other, victim, conditions);
    }
  }
}

function allNames({ cluster }: Site): readonly string[] {
  return cluster.nodes.map(({ name }) => name);
}

const one = (random: SeededRandom, { validators }: Shape): readonly string[] => [random.pick(validators)];

/** More than a third stops the chain, which must recover. */
function upToHalf(random: SeededRandom, { validators }: Shape): readonly string[] {
  return pickSome(random, validators, 1 + random.below(Math.floor(validators.length / 2)));
}

export function pickSome(random: SeededRandom, from: readonly string[], count: number): readonly string[] {
  const left = [...from];
  const picked: string[] = [];
  while (picked.length < count && left.length > 0) picked.push(...left.splice(random.below(left.length), 1));
  return picked.toSorted();
}

export const LINK_FAULTS: readonly FaultKind[] = [
  {
    kind: 'cut',
    about: 'all links between some validators and the rest stand still',
    draw: (random, shape) => ({ victims: upToHalf(random, shape), values: {} }),
    inject: async (site, fault) => around(site, fault, STOPPED, 'both'),
  },
  {
    kind: 'one-way',
    about: 'what one validator sends does not arrive, or nothing arrives at it',
    draw: (random, shape) => ({ victims: one(random, shape), values: { deaf: random.below(2) } }),
    inject: async (site, fault) => around(site, fault, STOPPED, fault.values.deaf === 1 ? 'in' : 'out'),
  },
  {
    kind: 'delay',
    about: 'links of some validators take 50 to 400 ms longer, with jitter',
    draw: (random, shape) => ({ victims: upToHalf(random, shape), values: { delayMs: 50 + random.below(350) } }),
    async inject(site, fault) {
      const delayMs = fault.values.delayMs ?? 0;
      around(site, fault, { ...CLEAR, delayMs, jitterMs: delayMs / 4 }, 'both');
    },
  },
  {
    kind: 'throttle',
    about: 'links of one validator carry 8 to 64 kB per second',
    draw: (random, shape) => ({
      victims: one(random, shape),
      values: { bytesPerSecond: 8_192 * (1 + random.below(8)) },
    }),
    async inject(site, fault) {
      around(site, fault, { ...CLEAR, bytesPerSecond: fault.values.bytesPerSecond ?? 0 }, 'both');
    },
  },
  {
    kind: 'reset',
    about: 'the connections of some validators are closed, and opened again',
    draw: (random, shape) => ({ victims: upToHalf(random, shape), values: {} }),
    async inject(site, { victims }) {
      for (const victim of victims) for (const other of allNames(site)) site.fabric.reset(victim, other);
    },
  },
];
