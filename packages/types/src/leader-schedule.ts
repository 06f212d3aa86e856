/**
 * Leader schedule: smooth weighted round-robin over the shuffled committee. Consensus follows it, and execution counts lost turns by it.
 *
 * In each view every counter grows by its member's weight; the highest leads (ties by shuffle order) and pays W, the total weight. A member
 * that leads no view counts with weight 0, also in W. After W / gcd(weights) views all counters are zero, so one period is computed once.
 */
import { assert, domainPrefix, hashInDomain, sha256, uint32le } from '@slipstream/primitives';
import type { Epoch, GenesisHash, View } from './ids.ts';

export type LeaderSchedule = (view: View) => number;

const SHUFFLE_DOMAIN = domainPrefix('slipstream/leader-shuffle');

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** Uniform in [0, bound), by rejection, from a chain of SHA-256. */
function createDraw(seed: Uint8Array): (bound: number) => number {
  let block = seed;
  let at = 0;
  return (bound) => {
    const limit = Math.floor(2 ** 32 / bound) * bound;
    for (;;) {
      if (at + 4 > block.length) {
        block = sha256(block);
        at = 0;
      }
      const value = new DataView(block.buffer, block.byteOffset + at, 4).getUint32(0, true);
      at += 4;
      if (value < limit) return value % bound;
    }
  };
}

/** Fisher and Yates. */
function shuffled(count: number, seed: Uint8Array): number[] {
  const draw = createDraw(seed);
  const order = Array.from({ length: count }, (_, index) => index);
  for (let i = count - 1; i > 0; i--) {
    const j = draw(i + 1);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

interface Leaders {
  readonly epoch: Epoch;
  readonly members: readonly { readonly weight: number; readonly leads: boolean }[];
}

export function createLeaderSchedule(committee: Leaders, genesisHash: GenesisHash): LeaderSchedule {
  const order = shuffled(
    committee.members.length,
    hashInDomain(SHUFFLE_DOMAIN, genesisHash, uint32le(committee.epoch)),
  );
  const weights = order.map((index) => leadingWeight(committee.members[index]));
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  assert(totalWeight > 0, 'a committee has a leader');
  const period = totalWeight / weights.reduce(gcd, 0);
  const counters = weights.map(() => 0);
  const leaders = new Uint16Array(period);
  for (let view = 0; view < period; view++) {
    let best = 0;
    for (let i = 0; i < counters.length; i++) {
      counters[i] = (counters[i] as number) + (weights[i] as number);
      if ((counters[i] as number) > (counters[best] as number)) best = i;
    }
    counters[best] = (counters[best] as number) - totalWeight;
    leaders[view] = order[best] as number;
  }
  return (view) => leaders[view % period] as number;
}

function leadingWeight(member: Leaders['members'][number] | undefined): number {
  return member?.leads === true ? member.weight : 0;
}
