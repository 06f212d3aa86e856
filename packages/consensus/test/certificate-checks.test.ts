/** How often certificates are checked: once each, and only those that something rests on. */
import { blockIdOf, type Certificate } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../src/index.ts';
import { bystander, give, kinds } from './bystander.ts';
import {
  blockOn,
  type CoreWorld,
  certificateOf,
  certify,
  createCoreWorld,
  finalize,
  GENESIS,
  mark,
  notarize,
  nullify,
  peerOf,
  proposalOf,
  voteOf,
} from './core-world.ts';

describe('checks of certificates and confirmations', () => {
  const quorumsChecked = (world: CoreWorld, node: number) =>
    world.effects(node, 'verify').flatMap(({ request }) => (request.type === 'quorum' ? [request.request] : []));
  const certificatesChecked = (world: CoreWorld, node: number) =>
    world.effects(node, 'verify').filter(({ request }) => request.type === 'certificate');

  it('a state certificate makes the check of a Finalization unnecessary: the block is final by it (rule 8)', () => {
    const world = createCoreWorld();
    const { first, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(node, first, proposalOf('normal', block));
    for (const from of others)
      world.give(node, from, { votes: [voteOf(finalize(block), from), voteOf(certify(block), from)] });
    expect(world.effects(node, 'finalized').map(({ blockId }) => blockId)).toEqual([blockIdOf(block)]);
    expect(quorumsChecked(world, node)).toHaveLength(1);
    give(world, node, first, certificateOf(finalize(block), others));
    expect(certificatesChecked(world, node)).toHaveLength(0);
  });

  it('when a state vote is bad its sender is blocked, and the Finalize votes are checked after all', () => {
    const world = createCoreWorld({ holdExecution: () => true });
    const { first, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(node, first, proposalOf('normal', block));
    for (const from of others) {
      world.give(node, from, { votes: [voteOf(finalize(block), from), voteOf(certify(block), from, from !== first)] });
    }
    expect(world.core(node).status().blocked).toEqual([first]);
    expect(world.effects(node, 'finalized').map(({ blockId }) => blockId)).toEqual([blockIdOf(block)]);
    expect(quorumsChecked(world, node)).toHaveLength(2);
  });

  it('votes and a certificate of one kind and view that arrive together are checked once', () => {
    const world = createCoreWorld();
    const { first, second, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    for (const from of others.slice(1)) world.give(node, from, { votes: [voteOf(notarize(block), from)] });
    world.give(node, first, {
      votes: [voteOf(notarize(block), first)],
      certificates: [certificateOf(notarize(block), others)],
    });
    expect(quorumsChecked(world, node).length + certificatesChecked(world, node).length).toBe(1);
    expect(world.core(node).status().view).toBe(second === first ? 1 : 2);
  });

  it('a bad certificate does not hide the votes that waited for it', () => {
    const world = createCoreWorld();
    const { first, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    for (const from of others.slice(1)) world.give(node, from, { votes: [voteOf(notarize(block), from)] });
    const bad = certificateOf(notarize(block), others, false);
    world.give(node, others[0] as number, {
      votes: [voteOf(notarize(block), others[0] as number)],
      certificates: [bad],
    });
    expect(world.core(node).status()).toMatchObject({ view: 2, blocked: [others[0]] });
  });

  it('the leader’s confirmation is checked only where the vote needs it', () => {
    const checked = (before: (world: CoreWorld) => void) => {
      const world = createCoreWorld();
      const { first, second, node, others } = bystander(world);
      const parent = blockOn(GENESIS, 1, first);
      const child = blockOn(parent, 2, second);
      before(world);
      give(world, node, first, certificateOf(notarize(parent), others));
      world.givePropose(node, first, proposalOf('normal', parent));
      world.givePropose(node, second, proposalOf('optimistic', child));
      const asked = world.effects(node, 'verify').length;
      const confirmation = { epoch: child.epoch, view: child.view, blockId: blockIdOf(child), signature: mark(192) };
      world.give(node, second, { confirmations: [confirmation, confirmation] });
      expect(kinds(world, node)).toContain('notarize');
      return world.effects(node, 'verify').length - asked;
    };
    expect(checked(() => {})).toBe(0);
    const entersByNullification = (world: CoreWorld) => {
      const { first, node, others } = bystander(world);
      give(world, node, first, certificateOf(nullify(1), others));
    };
    expect(checked(entersByNullification)).toBe(1);
  });
});

it('a queued good certificate is checked though one before it is of a sender with too many checks in flight', () => {
  const world = createCoreWorld();
  const { node, others } = bystander(world);
  const [liar, busy, honest] = others as [number, number, number];
  const deliver = (from: number, certificates: readonly Certificate[]) => {
    const frame = { votes: [], certificates, confirmations: [] };
    return world.core(node).step({ type: 'consensus-frame', from: peerOf(from), frame }, world.nowMs, 0);
  };
  const bad = certificateOf(nullify(1), others, false);
  const check = deliver(liar, [bad]).find(({ type }) => type === 'verify') as Extract<Effect, { type: 'verify' }>;
  deliver(busy, [bad]);
  deliver(honest, [certificateOf(nullify(1), others)]);
  for (let at = 100; at < 300; at++) deliver(busy, [certificateOf(nullify(at), others, false)]);
  world.step(node, { type: 'verified', token: check.token, verdict: { type: 'certificate', valid: false } });
  expect(world.core(node).status()).toMatchObject({ view: 2, blocked: [liar] });
});
