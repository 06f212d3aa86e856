/** When votes are checked, and what an invalid one leaves behind: B7 of signatures.md, development.voteChecks. */
import { describe, expect, it } from 'vitest';
import { createCoreWorld, nullify, voteOf } from './core-world.ts';

describe('B7: a member whose vote bisection found invalid', () => {
  it('disrupts no later view with votes that it sent before', () => {
    const world = createCoreWorld({ weights: [1, 1, 1, 1, 1, 1, 1] });
    for (const view of [1, 2, 3]) world.give(0, 1, { votes: [voteOf(nullify(view), 1, false)] });
    for (const view of [1, 2, 3]) {
      for (const member of [2, 3, 4, 5, 6]) world.give(0, member, { votes: [voteOf(nullify(view), member)] });
    }
    const events = world.effects(0, 'report').map(({ event }) => event);
    expect(events.filter((event) => event === 'bisection')).toHaveLength(1);
    expect(events.filter((event) => event === 'peer.blocked')).toHaveLength(1);
    expect(world.core(0).status().view).toBe(4);
  });
});

describe('votes that are checked one by one, to compare (development.voteChecks)', () => {
  const checked = (world: ReturnType<typeof createCoreWorld>) =>
    world.effects(0, 'verify').map(({ request }) => (request.type === 'votes' ? 'vote' : request.type));
  const nullifyAll = (world: ReturnType<typeof createCoreWorld>) => {
    for (const member of [1, 2, 3]) world.give(0, member, { votes: [voteOf(nullify(1), member)] });
  };

  it('on arrival: each is checked, also a late one, and the quorum is a sum of checked votes', () => {
    const world = createCoreWorld({ setting: () => ({ voteChecks: 'on-arrival' }) });
    nullifyAll(world);
    expect(checked(world)).toEqual(['vote', 'vote', 'vote', 'quorum']);
    const [last] = world.effects(0, 'verify').slice(-1);
    expect(last?.request).toMatchObject({ request: { votes: [1, 2, 3].map(() => ({ verified: true })) } });
    expect(world.core(0).status().view).toBe(2);
    nullifyAll(world);
    expect(checked(world).filter((type) => type === 'vote')).toHaveLength(6);
  });

  it('until quorum: a vote whose certificate is known is not checked', () => {
    const world = createCoreWorld({ setting: () => ({ voteChecks: 'until-quorum' }) });
    nullifyAll(world);
    nullifyAll(world);
    expect(checked(world)).toEqual(['vote', 'vote', 'vote', 'quorum']);
  });

  it('an invalid one blocks its sender, and does not count', () => {
    const world = createCoreWorld({ setting: () => ({ voteChecks: 'on-arrival' }) });
    world.give(0, 1, { votes: [voteOf(nullify(1), 1, false)] });
    expect(world.core(0).status().blocked).toEqual([1]);
    for (const member of [2, 3]) world.give(0, member, { votes: [voteOf(nullify(1), member)] });
    expect(world.core(0).status().view).toBe(1);
  });
});
