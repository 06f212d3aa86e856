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
  const peerLiveness = createPeerLiveness(
    { clock: { monotonicMs: () => nowMs }, consensus: { status: () => status } },
    { committee: () => committee, self: () => self },
  );
  return {
    peerLiveness,
    pass: (ms: number) => {
      nowMs += ms;
    },
    receiveFrom: (...members: readonly number[]) => {
      for (const member of members) status.lastMessageMs[member] = nowMs;
    },
    reportHeight: (height: number) => {
      status.highestReportedHeight = height;
    },
  };
}

test('a node that has just started knows no height, and calls no peer unresponsive yet', () => {
  const { peerLiveness, pass } = world([1, 1, 1, 1], 0);
  pass(100);
  expect(peerLiveness.knowsChain()).toBe(false);
  expect(peerLiveness.offline()).toEqual([]);
  expect(peerLiveness.reachableWeightShare()).toBe(1);
  pass(5_000);
  expect(peerLiveness.offline()).toEqual([1, 2, 3]);
});

test('it knows the chain height after messages from a quorum, itself included, and a reported height', () => {
  const { peerLiveness, pass, receiveFrom, reportHeight } = world([1, 1, 1, 1], 0);
  pass(100);
  receiveFrom(1);
  reportHeight(7);
  expect(peerLiveness.knowsChain()).toBe(false);
  receiveFrom(2);
  expect(peerLiveness.knowsChain()).toBe(true);
  pass(5_000);
  expect(peerLiveness.knowsChain()).toBe(false);
});

test('a live peer without a reported height does not make a node ready: it may be far behind', () => {
  const { peerLiveness, pass, receiveFrom, reportHeight } = world([1, 1, 1, 1], 0);
  pass(100);
  receiveFrom(1, 2, 3);
  expect(peerLiveness.knowsChain()).toBe(false);
  reportHeight(1);
  expect(peerLiveness.knowsChain()).toBe(true);
});

test('a validator that is a quorum by itself is ready alone, a node that only follows it is not', () => {
  expect(world([1], 0).peerLiveness.knowsChain()).toBe(true);
  expect(world([9, 1, 1], 0).peerLiveness.knowsChain()).toBe(true);
  const { peerLiveness, pass, receiveFrom, reportHeight } = world([1], undefined);
  pass(100);
  expect(peerLiveness.knowsChain()).toBe(false);
  receiveFrom(0);
  reportHeight(3);
  expect(peerLiveness.knowsChain()).toBe(true);
});
