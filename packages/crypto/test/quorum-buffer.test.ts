/** The rules quoted are those of docs/protocol/signatures.md, "Vote buffer". */
import type { QuorumResult } from '@slipstream/ports';
import { utf8 } from '@slipstream/primitives';
import { beforeEach, describe, expect, test } from 'vitest';
import { type BufferedVote, createQuorumBuffer, type QuorumBuffer } from '../src/index.ts';

const AGGREGATE = new Uint8Array(96).fill(7);

function vote(
  signer: number,
  message = 'A',
  signature = `${message} by ${signer}`,
  verified = false,
): BufferedVote<string> {
  return { signer, messageKey: message, message, signature: utf8(signature), verified };
}

const passed: QuorumResult = { aggregate: AGGREGATE, offenders: [], verified: [], checks: 1, tookMs: 1 };
const failed = (offenders: number[], verified: number[]): QuorumResult => {
  return { aggregate: undefined, offenders, verified, checks: 3, tookMs: 1 };
};

describe('with four equal weights', () => {
  let buffer: QuorumBuffer<string>;
  const add = (...votes: BufferedVote<string>[]) => votes.map((each) => buffer.add(each).type);

  beforeEach(() => {
    buffer = createQuorumBuffer({ epoch: 0, weights: [1, 1, 1, 1], signedBytes: utf8 });
  });

  test('slot empty: store', () => {
    expect(add(vote(2))).toEqual(['stored']);
    expect(buffer.vote(2)).toEqual(vote(2));
    expect(buffer.size).toBe(1);
    expect(buffer.weightFor('A')).toBe(1);
  });

  test('votes for one message share one copy of it, also when each came with its own', () => {
    const shared = createQuorumBuffer<{ readonly text: string }>({
      epoch: 0,
      weights: [1, 1],
      signedBytes: ({ text }) => utf8(text),
    });
    for (const signer of [0, 1]) shared.add({ ...vote(signer), message: { text: 'A' } });
    expect(shared.vote(1)).toEqual({ ...vote(1), message: { text: 'A' } });
    expect(shared.vote(1)?.message).toBe(shared.vote(0)?.message);
  });

  test('same bytes: ignore', () => {
    expect(add(vote(2), vote(2))).toEqual(['stored', 'duplicate']);
    expect(buffer.weightFor('A')).toBe(1);
  });

  test('same vote, other signature: both are returned, the slot stays', () => {
    add(vote(2));
    const other = vote(2, 'A', 'another signature');
    expect(buffer.add(other)).toEqual({ type: 'other-signature', existing: vote(2), incoming: other });
    expect(buffer.vote(2)).toEqual(vote(2));
  });

  test('conflicting vote: both are returned as evidence, the slot stays and nothing is counted', () => {
    add(vote(2));
    expect(buffer.add(vote(2, 'B'))).toEqual({ type: 'conflict', existing: vote(2), incoming: vote(2, 'B') });
    expect(buffer.vote(2)).toEqual(vote(2));
    expect(buffer.weightFor('B')).toBe(0);
  });

  test('ready when the weight for ONE message first reaches quorum, not before', () => {
    add(vote(0), vote(1), vote(2, 'B'));
    expect(buffer.ready()).toBeUndefined();
    add(vote(3));
    expect(buffer.ready()).toEqual({
      messageKey: 'A',
      message: 'A',
      request: { epoch: 0, message: utf8('A'), votes: [vote(0), vote(1), vote(3)] },
    });
  });

  test('own votes count as verified', () => {
    add(vote(0, 'A', 'own', true), vote(1), vote(2));
    expect(buffer.ready()?.request.votes.map(({ verified }) => verified)).toEqual([true, false, false]);
  });

  test('never two checks of one message at a time', () => {
    add(vote(0), vote(1), vote(2));
    expect(buffer.ready()).toBeDefined();
    expect(buffer.ready()).toBeUndefined();
    add(vote(3));
    expect(buffer.ready()).toBeUndefined();
  });

  test('ok: the certificate is exactly that aggregate, of exactly those that were in it, ascending', () => {
    add(vote(3), vote(0), vote(2));
    buffer.ready();
    add(vote(1));
    expect(buffer.complete('A', passed)).toEqual({
      type: 'certificate',
      certificate: { message: 'A', signers: [0, 2, 3], aggregate: AGGREGATE },
    });
  });

  test('a certified message is not ready again, and its votes are not marked valid one by one', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    buffer.complete('A', passed);
    add(vote(3));
    expect(buffer.ready()).toBeUndefined();
    expect(buffer.vote(0)?.verified).toBe(false);
  });

  test('a certified message still shows conflicts', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    buffer.complete('A', passed);
    expect(buffer.add(vote(1, 'B')).type).toBe('conflict');
  });

  test('bad: each offender is dropped and returned; the others stay, verified', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    expect(buffer.complete('A', failed([1], [0, 2]))).toEqual({ type: 'offenders', offenders: [vote(1)] });
    expect(buffer.vote(1)).toBeUndefined();
    expect(buffer.vote(0)).toEqual({ ...vote(0), verified: true });
    expect(buffer.weightFor('A')).toBe(2);
  });

  test('bad: wait for more votes; ready again at the next quorum, with proven votes marked', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    buffer.complete('A', failed([1], [0, 2]));
    expect(buffer.ready()).toBeUndefined();
    add(vote(3));
    expect(buffer.ready()?.request.votes.map(({ signer, verified }) => [signer, verified])).toEqual([
      [0, true],
      [2, true],
      [3, false],
    ]);
  });

  test('votes that arrive during a check are stored, and can form the next quorum at once', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    add(vote(3));
    buffer.complete('A', failed([1], [0, 2]));
    expect(buffer.ready()?.request.votes.map(({ signer }) => signer)).toEqual([0, 2, 3]);
  });

  test('a failed check marks no vote verified that it did not prove', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    buffer.complete('A', failed([1], []));
    expect(buffer.vote(0)?.verified).toBe(false);
  });

  test('an offender’s slot that was replaced during the check keeps the new vote', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    buffer.remove(1);
    const again = vote(1, 'A', 'a new signature');
    add(again);
    expect(buffer.complete('A', failed([1], [0, 2]))).toEqual({ type: 'offenders', offenders: [vote(1)] });
    expect(buffer.vote(1)).toEqual(again);
    expect(buffer.weightFor('A')).toBe(3);
  });

  test('remove empties a slot and its weight; the check in flight keeps its votes', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    expect(buffer.remove(1)).toEqual(vote(1));
    expect(buffer.remove(1)).toBeUndefined();
    expect(buffer.weightFor('A')).toBe(2);
    expect(buffer.complete('A', passed)).toMatchObject({ certificate: { signers: [0, 1, 2] } });
  });

  test('removing every vote during a check forgets the message after the check', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    for (const signer of [0, 1, 2]) buffer.remove(signer);
    expect(buffer.complete('A', failed([0, 1, 2], []))).toMatchObject({ type: 'offenders' });
    expect(buffer.weightFor('A')).toBe(0);
    add(vote(0), vote(1), vote(2));
    expect(buffer.ready()).toBeDefined();
  });

  test('an abandoned check can be started again', () => {
    add(vote(0), vote(1), vote(2));
    buffer.ready();
    buffer.abandon('A');
    expect(buffer.ready()).toBeDefined();
  });

  test('a result without a check is a bug', () => {
    add(vote(0), vote(1), vote(2));
    expect(() => buffer.complete('A', passed)).toThrow('invariant');
    expect(() => buffer.abandon('A')).toThrow('invariant');
    expect(() => buffer.add(vote(4))).toThrow('invariant');
  });
});

describe('with unequal weights', () => {
  test('a quorum is more than two thirds of the weight, not of the members', () => {
    const buffer = createQuorumBuffer({ epoch: 0, weights: [5, 2, 1, 1], signedBytes: utf8 });
    buffer.add(vote(1));
    buffer.add(vote(2));
    buffer.add(vote(3));
    expect(buffer.ready()).toBeUndefined();
    buffer.add(vote(0));
    expect(buffer.ready()).toBeDefined();
  });

  test('exactly two thirds is no quorum', () => {
    const buffer = createQuorumBuffer({ epoch: 0, weights: [4, 1, 1], signedBytes: utf8 });
    buffer.add(vote(0));
    expect(buffer.ready()).toBeUndefined();
    buffer.add(vote(1));
    expect(buffer.ready()).toBeDefined();
  });

  test('a committee of one is a quorum', () => {
    const buffer = createQuorumBuffer({ epoch: 0, weights: [3], signedBytes: utf8 });
    buffer.add(vote(0));
    expect(buffer.ready()).toBeDefined();
  });
});
