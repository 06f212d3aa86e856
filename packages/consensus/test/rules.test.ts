/** The rules of consensus.md by number, on cores alone. */
import { blockIdOf, view } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { ALL, bystander, give, kinds } from './bystander.ts';
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

describe('rule 1: entering a view', () => {
  const block = (world: CoreWorld) => blockOn(GENESIS, 1, world.leaderOf(1));

  it.each([
    ['a Notarization', notarize],
    ['a Finalization', finalize],
    ['a state certificate', certify],
    ['a Nullification', () => nullify(1)],
  ] as const)('by %s, which is multicast', (_name, subjectOf) => {
    const world = createCoreWorld();
    const { node, others } = bystander(world);
    const certificate = certificateOf(subjectOf(block(world)), others);
    give(world, node, others[0] as number, certificate);
    expect(world.core(node).status().view).toBe(2);
    expect(world.effects(node, 'cast').flatMap(({ certificates }) => certificates)).toContain(certificate);
  });

  it('is not triggered by a certificate with a bad signature or without a quorum, whose senders are blocked', () => {
    for (const bad of [certificateOf(nullify(1), [0, 1, 2], false), certificateOf(nullify(1), [0, 1])]) {
      const world = createCoreWorld();
      const { node, others } = bystander(world);
      give(world, node, others[0] as number, bad);
      expect(world.core(node).status()).toMatchObject({ view: 1, blocked: [others[0]] });
    }
  });

  it('a bad certificate does not hide a good one that arrives during its check', () => {
    const world = createCoreWorld();
    const { node, others } = bystander(world);
    const [liar, honest] = others as [number, number, number];
    give(world, node, liar, certificateOf(nullify(1), others, false));
    give(world, node, honest, certificateOf(nullify(1), others));
    expect(world.core(node).status()).toMatchObject({ view: 2, blocked: [liar] });
  });
});

describe('rule 2: a normal proposal', () => {
  it('has the highest notarized block as parent, with its justification', () => {
    const world = createCoreWorld();
    const [first, , third] = [world.leaderOf(1), world.leaderOf(2), world.leaderOf(3)];
    const others = ALL.filter((member) => member !== third);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(third, first, proposalOf('normal', block));
    give(world, third, first, certificateOf(notarize(block), others));
    give(world, third, first, certificateOf(nullify(2), others));
    const [proposal] = world.effects(third, 'propose').filter(({ block: made }) => made.view === 3);
    expect(proposal).toMatchObject({ kind: 'normal', block: { parentView: 1, height: 2, proposer: third } });
    expect(proposal?.justification.map(({ subject }) => subject.kind)).toEqual(['notarize', 'nullify']);
  });

  it('waits for missing certificates, and requests as many views as one answer carries', () => {
    const world = createCoreWorld();
    const leader = world.leaderOf(401);
    const others = ALL.filter((member) => member !== leader);
    give(world, leader, others[0] as number, certificateOf(nullify(400), others));
    expect(world.effects(leader, 'propose').filter(({ block }) => block.view === 401)).toEqual([]);
    const [asked] = world.effects(leader, 'fetch').filter(({ query }) => query.type === 'certificates');
    expect(asked?.query).toEqual({ type: 'certificates', from: view(336), to: view(399) });
  });
});

describe('rule 3: an optimistic proposal', () => {
  const outstanding = (options = {}) => {
    const world = createCoreWorld({ options });
    const [first, leader] = [world.leaderOf(1), world.leaderOf(2)];
    const others = ALL.filter((member) => member !== leader);
    const parent = blockOn(GENESIS, 1, first);
    world.givePropose(leader, first, proposalOf('normal', parent));
    const [optimistic] = world.effects(leader, 'propose');
    return { world, first, leader, others, parent, optimistic };
  };

  it('follows the vote for its parent, without justification', () => {
    const { optimistic, parent } = outstanding();
    expect(optimistic).toMatchObject({ kind: 'optimistic', block: { view: 2, parentId: blockIdOf(parent) } });
    expect(optimistic?.justification).toEqual([]);
  });

  it('stands when its parent is notarized: it is confirmed beside that certificate, and no other is made', () => {
    const { world, first, leader, others, parent, optimistic } = outstanding();
    const notarization = certificateOf(notarize(parent), others);
    give(world, leader, first, notarization);
    const confirming = world.effects(leader, 'cast').filter(({ confirm }) => confirm);
    expect(confirming.map(({ confirm }) => confirm?.blockId)).toEqual([optimistic?.blockId]);
    expect(confirming[0]?.certificates).toContain(notarization);
    world.pass(100);
    expect(world.effects(leader, 'propose').filter(({ block }) => block.view === 2)).toHaveLength(1);
  });

  it('is awaited for graceMs after a nullification, then another parent is used', () => {
    const { world, first, leader, others } = outstanding();
    give(world, leader, first, certificateOf(nullify(1), others));
    world.pass(30);
    expect(world.effects(leader, 'propose')).toHaveLength(1);
    world.pass(40);
    const [, normal] = world.effects(leader, 'propose');
    expect(normal).toMatchObject({ kind: 'normal', block: { view: 2, parentView: 0 } });
  });

  it('is confirmed also when the notarization arrives while the leader waits', () => {
    const { world, first, leader, others, parent, optimistic } = outstanding();
    give(world, leader, first, certificateOf(nullify(1), others));
    give(world, leader, first, certificateOf(notarize(parent), others));
    const confirmed = world.effects(leader, 'cast').flatMap(({ confirm }) => confirm?.blockId ?? []);
    expect(confirmed).toEqual([optimistic?.blockId]);
  });
});

describe('rule 4: a Notarize', () => {
  it('is sent once a view, for the first valid proposal (I1)', () => {
    const world = createCoreWorld();
    const { first, node } = bystander(world);
    world.givePropose(node, first, proposalOf('normal', blockOn(GENESIS, 1, first)));
    world.givePropose(node, first, proposalOf('normal', blockOn(GENESIS, 1, first, 3)));
    world.pass(50);
    expect(kinds(world, node)).toEqual(['notarize']);
  });

  it('does not follow a Nullify', () => {
    const world = createCoreWorld();
    const { first, node } = bystander(world);
    world.pass(1000);
    world.givePropose(node, first, proposalOf('normal', blockOn(GENESIS, 1, first)));
    expect(kinds(world, node)).toEqual(['nullify']);
  });

  it('waits for the payload (I6)', () => {
    const world = createCoreWorld({ holdPayload: () => true });
    const { first, node } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(node, first, proposalOf('normal', block));
    expect(world.effects(node, 'persist-block').map(({ blockId }) => blockId)).toEqual([blockIdOf(block)]);
    expect(kinds(world, node)).toEqual([]);
    world.step(node, { type: 'payload-checked', blockId: blockIdOf(block), verdict: { type: 'valid' } });
    expect(kinds(world, node)).toEqual(['notarize']);
  });

  it('needs a nullification of every view between the block and its parent', () => {
    const world = createCoreWorld();
    const third = world.leaderOf(3);
    const node = ALL.find((member) => member !== third && member !== world.leaderOf(4)) as number;
    const others = ALL.filter((member) => member !== node);
    const block = blockOn(GENESIS, 3, third);
    give(world, node, third, certificateOf(nullify(2), others));
    world.givePropose(node, third, proposalOf('normal', block));
    expect(world.votes(node)).not.toContainEqual(notarize(block));
    give(world, node, third, certificateOf(nullify(1), others));
    expect(world.votes(node)).toContainEqual(notarize(block));
  });

  it('in a view entered by a nullification an optimistic proposal needs its confirmation', () => {
    const world = createCoreWorld();
    const { first, second, node, others } = bystander(world);
    const parent = blockOn(GENESIS, 1, first);
    const child = blockOn(parent, 2, second);
    give(world, node, first, certificateOf(nullify(1), others));
    give(world, node, first, certificateOf(notarize(parent), others));
    world.givePropose(node, first, proposalOf('normal', parent));
    world.givePropose(node, second, proposalOf('optimistic', child));
    expect(kinds(world, node)).not.toContain('notarize');
    const confirmation = { epoch: child.epoch, view: child.view, blockId: blockIdOf(child), signature: mark(192) };
    world.give(node, second, { confirmations: [confirmation] });
    expect(kinds(world, node)).toContain('notarize');
  });

  it('is delayed, never rejected, by a timestamp more than 500 ms ahead', () => {
    const world = createCoreWorld({ options: { leaderTimeoutMs: 9000, viewTimeoutMs: 9500 } });
    const { first, node } = bystander(world);
    const block = { ...blockOn(GENESIS, 1, first), timestampMs: 1_000_000 + 2_000 };
    world.givePropose(node, first, proposalOf('normal', block));
    expect(kinds(world, node)).toEqual([]);
    world.pass(1501);
    expect(kinds(world, node)).toEqual(['notarize']);
  });

  it('two proposals of a kind with different ids are evidence, and their leader is blocked', () => {
    const world = createCoreWorld();
    const { first, node } = bystander(world);
    world.givePropose(node, first, proposalOf('normal', blockOn(GENESIS, 1, first)));
    world.givePropose(node, first, proposalOf('normal', blockOn(GENESIS, 1, first, 3)));
    expect(world.effects(node, 'evidence')).toHaveLength(1);
    expect(world.core(node).status().blocked).toEqual([first]);
  });

  it('an optimistic and a normal proposal with different parents are legal', () => {
    const world = createCoreWorld();
    const { first, second, node } = bystander(world);
    const parent = blockOn(GENESIS, 1, first);
    world.givePropose(node, second, proposalOf('optimistic', blockOn(parent, 2, second)));
    world.givePropose(node, second, proposalOf('normal', blockOn(GENESIS, 2, second)));
    expect(world.core(node).status().blocked).toEqual([]);
  });
});

describe('rule 5: a Nullify', () => {
  it('is sent when no proposal arrived in time, and again every retryMs with the certificate that entered the view', () => {
    const world = createCoreWorld();
    const { node, others } = bystander(world);
    const entry = certificateOf(nullify(1), others);
    give(world, node, others[0] as number, entry);
    world.pass(2000);
    expect(world.votes(node)).toEqual([nullify(2)]);
    const resent = world.effects(node, 'resend').filter(({ to }) => to === undefined);
    expect(resent.length).toBeGreaterThan(3);
    for (const { frame } of resent)
      expect(frame).toMatchObject({ certificates: [entry], votes: [{ subject: nullify(2) }] });
  });

  it('is allowed after Notarize, and not after Finalize (I2)', () => {
    const world = createCoreWorld();
    const { first, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(node, first, proposalOf('normal', block));
    world.pass(1000);
    expect(kinds(world, node)).toEqual(['notarize', 'nullify']);
    give(world, node, first, certificateOf(notarize(block), others));
    expect(kinds(world, node)).not.toContain('finalize');
  });
});

describe('rules 6 to 8: Finalize, Certify, final', () => {
  it('a notarization is answered with Finalize, and Certify in the same frame when the block is executed', () => {
    const world = createCoreWorld();
    const { first, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(node, first, proposalOf('normal', block));
    give(world, node, first, certificateOf(notarize(block), others));
    world.pass(10);
    const frames = world.effects(node, 'cast').map(({ votes }) => votes.map(({ kind }) => kind));
    expect(frames).toContainEqual(['finalize', 'certify']);
  });

  it('no Certify is sent for an executed block that is neither finalized here nor known to be final', () => {
    const world = createCoreWorld();
    const { first, node } = bystander(world);
    world.givePropose(node, first, proposalOf('normal', blockOn(GENESIS, 1, first)));
    world.pass(50);
    expect(kinds(world, node)).toEqual(['notarize']);
  });

  it('a finalization makes ancestors final too, oldest first; so does a state certificate', () => {
    for (const subjectOf of [finalize, certify]) {
      const world = createCoreWorld();
      const { first, second, node, others } = bystander(world);
      const parent = blockOn(GENESIS, 1, first);
      const child = blockOn(parent, 2, second);
      world.givePropose(node, first, proposalOf('normal', parent));
      world.givePropose(node, second, proposalOf('optimistic', child));
      give(world, node, first, certificateOf(subjectOf(child), others));
      expect(world.effects(node, 'finalized').map(({ block }) => block.height)).toEqual([1, 2]);
    }
  });

  it('a notarization of a finalized view is not requested again: its block may be pruned everywhere', () => {
    const world = createCoreWorld();
    const { first, node, others } = bystander(world);
    const lost = blockOn(GENESIS, 1, first, 9);
    const final = blockOn(GENESIS, 3, world.leaderOf(3));
    give(world, node, first, certificateOf(notarize(lost), others));
    const query = { type: 'block', blockId: blockIdOf(final) } as const;
    world.step(node, { type: 'fetched', query, from: peerOf(first), blocks: [final], certificates: [] });
    give(world, node, first, certificateOf(finalize(final), others));
    const before = world.effects(node, 'fetch').length;
    world.pass(5000);
    expect(world.effects(node, 'fetch').length).toBe(before);
  });
});

describe('votes and blocking', () => {
  it('a quorum of votes makes the certificate', () => {
    const world = createCoreWorld();
    const { node, others } = bystander(world);
    for (const member of others) world.give(node, member, { votes: [voteOf(nullify(1), member)] });
    expect(world.core(node).status().view).toBe(2);
  });

  it('bad signatures are found at the quorum, their senders are blocked, and the other votes still count', () => {
    const world = createCoreWorld({ weights: [1, 1, 1, 1, 1, 1, 1] });
    const votes = [1, 2, 3, 4].map((member) => voteOf(nullify(1), member));
    expect(world.leaderOf(1)).toBe(5); // were the leader the offender, its view would be nullified at once (rule 5b)
    world.give(0, 6, { votes: [voteOf(nullify(1), 6, false)] });
    for (const vote of votes) world.give(0, vote.signer, { votes: [vote] });
    expect(world.core(0).status()).toMatchObject({ view: 1, blocked: [6] });
    world.give(0, 5, { votes: [voteOf(nullify(1), 5)] });
    expect(world.core(0).status().view).toBe(2);
  });

  it('a validator that votes twice in a view is blocked with evidence', () => {
    const world = createCoreWorld();
    const { first, node, others } = bystander(world);
    const rivals = [blockOn(GENESIS, 1, first), blockOn(GENESIS, 1, first, 3)];
    const liar = others[1] as number;
    for (const block of rivals) world.give(node, liar, { votes: [voteOf(notarize(block), liar)] });
    expect(world.effects(node, 'evidence')).toHaveLength(1);
    expect(world.core(node).status().blocked).toEqual([liar]);
  });

  it('Nullify and Finalize of one view contradict each other', () => {
    const world = createCoreWorld();
    const { first, node, others } = bystander(world);
    const liar = others[1] as number;
    const subjects = [nullify(1), finalize(blockOn(GENESIS, 1, first))] as const;
    for (const subject of subjects) world.give(node, liar, { votes: [voteOf(subject, liar)] });
    expect(world.core(node).status().blocked).toEqual([liar]);
  });

  it('a vote in the name of another blocks its sender', () => {
    const world = createCoreWorld();
    world.give(0, 1, { votes: [voteOf(nullify(1), 2)] });
    expect(world.core(0).status().blocked).toEqual([1]);
  });

  it('blocked weight stays below a third: further offenders are suspects, and an alert is raised', () => {
    const world = createCoreWorld();
    for (const liar of [1, 2]) world.give(0, liar, { votes: [voteOf(nullify(1), 3)] });
    expect(world.core(0).status().blocked).toEqual([1]);
    expect(world.effects(0, 'report').map(({ event }) => event)).toContain('alert.raised');
  });

  it("a suspect's votes are checked one by one before they count", () => {
    const world = createCoreWorld();
    for (const liar of [1, 2]) world.give(0, liar, { votes: [voteOf(nullify(1), 3)] });
    world.give(0, 2, { votes: [voteOf(nullify(1), 2, false)] });
    world.give(0, 3, { votes: [voteOf(nullify(1), 3)] });
    world.pass(1000);
    expect(world.core(0).status().view).toBe(1);
    world.give(0, 2, { votes: [voteOf(nullify(1), 2)] });
    expect(world.core(0).status().view).toBe(2);
  });
});

describe('counts of votes by member', () => {
  it('count what each member added, and separately the votes after a quorum had formed', () => {
    const world = createCoreWorld();
    const { node, others } = bystander(world);
    const [early, late, silent] = others as [number, number, number];
    world.give(node, early, { votes: [voteOf(nullify(1), early)] });
    give(world, node, early, certificateOf(nullify(1), [early, silent, node]));
    world.give(node, late, { votes: [voteOf(nullify(1), late), voteOf(nullify(2), late)] });
    const { votesSeen, votesLate } = world.core(node).status();
    expect([early, late, silent].map((member) => votesSeen[member])).toEqual([1, 2, 0]);
    expect([early, late, silent].map((member) => votesLate[member])).toEqual([0, 1, 0]);
  });
});
