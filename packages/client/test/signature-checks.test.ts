/** A signature of a quorum is checked once, however many proofs end in it. */
import { certifiedCommittee, committeeOf, epoch } from '@slipstream/types';
import { expect, test } from 'vitest';
import { createSignatureChecks } from '../src/epochs/signature-checks.ts';
import { genesis } from './real-chain.ts';

const committee = certifiedCommittee(epoch(0), committeeOf(genesis).members);
const signatureOf = (number: number) => ({
  epoch: epoch(0),
  message: new Uint8Array(32).fill(number),
  signers: [0, 1, 2],
  aggregate: new Uint8Array(96).fill(7),
});

function countedChecks(verdict: boolean) {
  let checks = 0;
  const { holds } = createSignatureChecks(() => {
    checks++;
    return verdict;
  });
  return { holds, checks: () => checks };
}

test('one that held is remembered, by all that it is of', () => {
  const { holds, checks } = countedChecks(true);
  const signature = signatureOf(1);
  for (let i = 0; i < 100; i++) expect(holds(signature, committee)).toBe(true);
  expect(checks()).toBe(1);
  const others = [
    { ...signature, message: new Uint8Array(32).fill(2) },
    { ...signature, signers: [0, 1, 3] },
    { ...signature, aggregate: new Uint8Array(96).fill(8) },
    { ...signature, epoch: epoch(1) },
  ];
  for (const other of others) holds(other, committee);
  expect(checks()).toBe(1 + others.length);
});

test('one that did not hold is checked again', () => {
  const { holds, checks } = countedChecks(false);
  for (let i = 0; i < 3; i++) expect(holds(signatureOf(1), committee)).toBe(false);
  expect(checks()).toBe(3);
});

test('the oldest is forgotten', () => {
  const { holds, checks } = countedChecks(true);
  for (let number = 0; number <= 64; number++) holds(signatureOf(number), committee);
  holds(signatureOf(64), committee);
  expect(checks()).toBe(65);
  holds(signatureOf(0), committee);
  expect(checks()).toBe(66);
});
