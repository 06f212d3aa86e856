/** Rule 5b: views of leaders that are blocked or dead. */
import { GENESIS_EPOCH, height } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { LOCAL_OPTIONS } from '../src/index.ts';
import {
  blockOn,
  type CoreWorld,
  certificateOf,
  createCoreWorld,
  GENESIS,
  nullify,
  peerOf,
  proposalOf,
} from './core-world.ts';

const { skipAfterMs, leaderTimeoutMs } = LOCAL_OPTIONS;

/** Member 0 is real; the others are the test's to play. */
const world = () => createCoreWorld({ cores: [0] });

/** The first view above 1 that another member leads. */
const viewOfAnother = ({ leaderOf }: CoreWorld) => [2, 3, 4].find((view) => leaderOf(view) !== 0) as number;

function heartbeatsFrom(of: CoreWorld, members: readonly number[], forMs: number): void {
  const heartbeat = {
    epoch: GENESIS_EPOCH,
    view: 1,
    finalizedHeight: height(0),
    committedHeight: height(0),
    refusedView: 0,
  };
  for (let ms = 0; ms < forMs; ms += 500) {
    for (const member of members) of.step(0, { type: 'heartbeat', from: peerOf(member), heartbeat });
    of.pass(500);
  }
}

function enter(of: CoreWorld, view: number): void {
  const [first, second, third] = [0, 1, 2, 3].filter((member) => member !== of.leaderOf(view));
  const signers = [first, second, third] as number[];
  of.give(0, signers.find((member) => member !== 0) as number, {
    certificates: [certificateOf(nullify(view - 1), signers)],
  });
}

const block = (of: CoreWorld, member: number) =>
  of.step(0, { type: 'offence', peer: peerOf(member), reason: 'malformed-frame', detail: 'of a test' });
const othersThan = (leader: number) => [1, 2, 3].filter((member) => member !== leader);
const reasons = (of: CoreWorld) =>
  of.effects(0, 'report').flatMap(({ event, fields }) => (event === 'view.timeout' ? [fields.reason] : []));

describe('rule 5b: a leader of which nothing came for skipAfterMs while a quorum is active', () => {
  it('loses its view at once, with the frame that enters it', () => {
    const of = world();
    const view = viewOfAnother(of);
    heartbeatsFrom(of, othersThan(of.leaderOf(view)), skipAfterMs + 1_000);
    enter(of, view);
    expect(of.votes(0)).toContainEqual(nullify(view));
    expect(of.effects(0, 'cast').at(-1)?.certificates[0]?.subject).toEqual(nullify(view - 1));
    expect(reasons(of).at(-1)).toBe('no message from the leader for 5 s');
  });

  it('loses the current view when the time is over, whatever is pending', () => {
    const of = world();
    const view = viewOfAnother(of);
    const others = othersThan(of.leaderOf(view));
    heartbeatsFrom(of, others, skipAfterMs - 500);
    of.step(0, { type: 'pending-changed', pending: false });
    enter(of, view);
    heartbeatsFrom(of, others, 500);
    expect(of.votes(0)).toContainEqual(nullify(view));
  });

  it('has its whole time after a message', () => {
    const of = world();
    const view = viewOfAnother(of);
    heartbeatsFrom(of, othersThan(of.leaderOf(view)), skipAfterMs + 1_000);
    heartbeatsFrom(of, [of.leaderOf(view)], 500);
    enter(of, view);
    of.pass(leaderTimeoutMs - 1);
    expect(of.votes(0)).not.toContainEqual(nullify(view));
  });

  it('has its whole time at a node to which no quorum was active all the while', () => {
    const of = world();
    const view = viewOfAnother(of);
    const others = othersThan(of.leaderOf(view));
    heartbeatsFrom(of, others.slice(1), skipAfterMs + 1_000);
    heartbeatsFrom(of, others, skipAfterMs - 1_000);
    enter(of, view);
    of.pass(leaderTimeoutMs - 1);
    expect(of.votes(0)).not.toContainEqual(nullify(view));
  });

  it('has its whole time at a node that was paused', () => {
    const of = world();
    const view = viewOfAnother(of);
    heartbeatsFrom(of, [1, 2, 3], 2_000);
    const { nowMs } = of;
    const heartbeat = {
      epoch: GENESIS_EPOCH,
      view: 1,
      finalizedHeight: height(0),
      committedHeight: height(0),
      refusedView: 0,
    };
    const atMs = nowMs + 2 * skipAfterMs;
    for (const member of othersThan(of.leaderOf(view))) {
      of.core(0).step({ type: 'heartbeat', from: peerOf(member), heartbeat }, atMs, atMs);
    }
    const entering = certificateOf(nullify(view - 1), [1, 2, 3]);
    const frame = { votes: [], certificates: [entering], confirmations: [] };
    const from = peerOf(othersThan(of.leaderOf(view))[0] as number);
    const verify = of.core(0).step({ type: 'consensus-frame', from, frame }, atMs, atMs);
    const { token } = verify.find(({ type }) => type === 'verify') as unknown as { token: number };
    const effects = of
      .core(0)
      .step({ type: 'verified', token, verdict: { type: 'certificate', valid: true } }, atMs, atMs);
    expect(effects.flatMap((effect) => (effect.type === 'cast' ? effect.votes : []))).not.toContainEqual(nullify(view));
  });

  it('keeps its view when its proposal is here', () => {
    const of = createCoreWorld({ cores: [0], options: { viewTimeoutMs: 20_000, maxTimeoutMs: 20_000 } });
    const view = viewOfAnother(of);
    const leader = of.leaderOf(view);
    const nullified = Array.from({ length: view - 1 }, (_, at) => certificateOf(nullify(at + 1), [1, 2, 3]));
    of.givePropose(0, leader, proposalOf('normal', blockOn(GENESIS, view, leader), nullified));
    heartbeatsFrom(of, othersThan(leader), skipAfterMs + 1_000);
    expect(of.votes(0).some((vote) => vote.kind === 'notarize' && vote.view === view)).toBe(true);
    expect(of.votes(0)).not.toContainEqual(nullify(view));
  });
});

describe('rule 5b: a leader that this node has blocked', () => {
  it('loses its view at once', () => {
    const of = world();
    const view = viewOfAnother(of);
    block(of, of.leaderOf(view));
    enter(of, view);
    expect(of.votes(0)).toContainEqual(nullify(view));
    expect(reasons(of).at(-1)).toBe('the leader is blocked by this node');
  });

  it('loses the view in which it is blocked', () => {
    const of = world();
    const view = viewOfAnother(of);
    enter(of, view);
    expect(of.votes(0)).not.toContainEqual(nullify(view));
    block(of, of.leaderOf(view));
    expect(of.votes(0)).toContainEqual(nullify(view));
  });
});
