/**
 * Blocks that are notarized one upon another while none is final, as on links slower than the timers. A block above them is all that can
 * make them final, so no bound on what waits for executors may stop it.
 */
import type { Block } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { LOCAL_OPTIONS } from '../src/index.ts';
import { ALL, give, kinds } from './bystander.ts';
import {
  blockOn,
  type CoreWorldOptions,
  certificateOf,
  createCoreWorld,
  finalize,
  GENESIS,
  notarize,
  nullify,
  proposalOf,
} from './core-world.ts';

const NODE = 0;
const OTHERS = ALL.filter((member) => member !== NODE);

/** Of a node of four; the others' views bring a block each, its own are nullified. It leads the next one. */
function notarizedAndNotFinal(heights: number, options: CoreWorldOptions = {}) {
  const world = createCoreWorld({ cores: [NODE], ...options });
  const chain: Block[] = [];
  let at = 1;
  for (; chain.length < heights || world.leaderOf(at) !== NODE; at++) {
    const leader = world.leaderOf(at);
    if (leader === NODE) {
      give(world, NODE, OTHERS[0] as number, certificateOf(nullify(at), OTHERS));
      continue;
    }
    const block = blockOn(chain.at(-1) ?? GENESIS, at, leader);
    chain.push(block);
    world.givePropose(NODE, leader, proposalOf('normal', block));
    give(world, NODE, leader, certificateOf(notarize(block), OTHERS));
  }
  return { world, chain, view: at, last: chain.at(-1) as Block };
}

describe('while blocks are notarized and none is final', () => {
  it('a leader proposes, however far they are above the last state certificate', () => {
    const { world, view, last } = notarizedAndNotFinal(100);
    world.pass(1_000);
    const proposed = world.effects(NODE, 'propose').filter(({ block }) => block.view === view);
    expect(proposed.map(({ block }) => block.height)).toEqual([last.height + 1]);
  });

  it('each is executed and voted for, however far it is above the last committed one', () => {
    const { world, chain } = notarizedAndNotFinal(300);
    const voted = world.votes(NODE).filter(({ kind }) => kind === 'notarize');
    expect(voted.filter((vote) => chain.some(({ view }) => view === vote.view))).toHaveLength(chain.length);
    expect(world.effects(NODE, 'finalized')).toEqual([]);
  });

  it('the first finalization makes all of them final here: for omitted ones others would count no state votes', () => {
    const { world, chain, last } = notarizedAndNotFinal(300, { holdExecution: () => true });
    give(world, NODE, OTHERS[0] as number, certificateOf(finalize(last), OTHERS));
    expect(world.effects(NODE, 'finalized').map(({ block }) => block)).toEqual(chain);
  });
});

describe('a view that this node nullified and that was notarized later', () => {
  it('lengthens the next timers like a view that all nullified: they are shorter than the link delays', () => {
    const world = createCoreWorld({ cores: [NODE] });
    const leader = world.leaderOf(1) === NODE ? (OTHERS[0] as number) : world.leaderOf(1);
    world.pass(LOCAL_OPTIONS.viewTimeoutMs);
    expect(kinds(world, NODE)).toContain('nullify');
    const block = blockOn(GENESIS, 1, world.leaderOf(1));
    give(world, NODE, leader, certificateOf(notarize(block), OTHERS));
    expect(world.core(NODE).status().timeoutMultiplier).toBe(1.5);
  });
});
