import { expect, it } from 'vitest';
import { createPeerCredit } from '../../src/intake/peer-credit.ts';
import { peerKey } from '../harness/network.ts';

const PEER = peerKey(1);

function creditOf(credit: ReturnType<typeof createPeerCredit>): number {
  let before = 0;
  while (credit.mayCheck(PEER, before)) before += 1;
  return before;
}

it('a peer gains credit by good transactions, up to a maximum, and returns to the initial credit with a bad one', () => {
  const credit = createPeerCredit();
  expect(creditOf(credit)).toBe(256);
  credit.startChecks(PEER, 200);
  expect(creditOf(credit)).toBe(56);
  credit.endChecks(PEER, 200, { good: 200, bad: 0 });
  expect(creditOf(credit)).toBe(456);
  credit.endChecks(PEER, 0, { good: 1_000_000, bad: 0 });
  expect(creditOf(credit)).toBe(20_000);
  credit.endChecks(PEER, 0, { good: 99, bad: 1 });
  expect(creditOf(credit)).toBe(256);
});
