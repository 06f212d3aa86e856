/** The grace at the start does not count for readiness. */
import { createCommittee } from '@slipstream/types';
import { expect, test } from 'vitest';
import { createPeerLiveness } from '../../src/operator/peer-liveness.ts';

function world(weights: readonly number[], self: number | undefined) {
  const committee = createCommittee(
    weights.map((weight, index) => ({
      weight,
      blsPublicKey: new Uint8Array(48),
      peerKey: String(index).repeat(64) as never,
    })),
  );
  let nowMs = 1_000;
  const status = { lastMessageMs: weights.map(() => nowMs), highestReportedHeight: 0 };
  const hearing = createPeerLiveness(
    { clock: { monotonicMs: () => nowMs }, consensus: { status: () => status } },
    { committee, self },
  );
  return {
    hearing,
    pass: (ms: number) => {
      nowMs += ms;
    },
    hear: (...members: readonly number[]) => {
      for (const member of members) status.lastMessageMs[member] = nowMs;
    },
    tell: (height: number) => {
      status.highestReportedHeight = height;
    },
  };
}

test('a node that has just started knows no height, and calls no peer unresponsive yet', () => {
  const { hearing, pass } = world([1, 1, 1, 1], 0);
  pass(100);
  expect(hearing.knowsChain()).toBe(false);
  expect(hearing.offline()).toEqual([]);
  expect(hearing.reachableWeightShare()).toBe(1);
  pass(5_000);
  expect(hearing.offline()).toEqual([1, 2, 3]);
});

test('it knows the chain height after messages from a quorum, itself included, and a reported height', () => {
  const { hearing, pass, hear, tell } = world([1, 1, 1, 1], 0);
  pass(100);
  hear(1);
  tell(7);
  expect(hearing.knowsChain()).toBe(false);
  hear(2);
  expect(hearing.knowsChain()).toBe(true);
  pass(5_000);
  expect(hearing.knowsChain()).toBe(false);
});

test('a live peer without a reported height does not make a node ready: it may be far behind', () => {
  const { hearing, pass, hear, tell } = world([1, 1, 1, 1], 0);
  pass(100);
  hear(1, 2, 3);
  expect(hearing.knowsChain()).toBe(false);
  tell(1);
  expect(hearing.knowsChain()).toBe(true);
});

test('a validator that is a quorum by itself is ready alone, a node that only follows it is not', () => {
  expect(world([1], 0).hearing.knowsChain()).toBe(true);
  expect(world([9, 1, 1], 0).hearing.knowsChain()).toBe(true);
  const { hearing, pass, hear, tell } = world([1], undefined);
  pass(100);
  expect(hearing.knowsChain()).toBe(false);
  hear(0);
  tell(3);
  expect(hearing.knowsChain()).toBe(true);
});
