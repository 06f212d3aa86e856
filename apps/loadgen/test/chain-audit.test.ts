import type { Client } from '@slipstream/client';
import { expect, test } from 'vitest';
import { auditChain, compare } from '../src/fate/chain-audit.ts';

const id = (digit: string) => `0x${digit.repeat(64)}`;
const digits = (...each: readonly string[]) => `0x${each.map((digit) => digit.repeat(64)).join('')}`;

/** Blocks by height: ids of those carried out, and of those that failed. */
function chainOf(blocks: readonly (readonly [success: string, failed: string])[]) {
  const client = {
    blockOutcomes: async (height: number) => {
      const [success, failed] = blocks[height - 1] as readonly [string, string];
      return { height, blockId: id('0'), success, failed };
    },
  } as unknown as Client;
  return { name: 'full-node-0', client };
}

test('a transaction in exactly one block, or reported expired and in none, passes the audit', async () => {
  const node = chainOf([
    [digits('a', 'f'), '0x'],
    ['0x', digits('b')],
  ]);
  const fates = new Map([
    [id('a'), 'final'],
    [id('b'), 'failed'],
    [id('c'), 'expired'],
  ] as const);
  expect(await auditChain({ node, fromHeight: 0, toHeight: 2, fates })).toEqual({
    blocks: 2,
    transactions: 3,
    final: 1,
    failed: 1,
    expired: 1,
    faults: { twice: [], missing: [], resurrected: [], contradicted: [] },
    exactlyOnce: true,
  });
});

test('a transaction in two blocks is found', async () => {
  const node = chainOf([
    [digits('a'), '0x'],
    [digits('a'), '0x'],
  ]);
  const audit = await auditChain({ node, fromHeight: 0, toHeight: 2, fates: new Map([[id('a'), 'final']]) });
  expect(audit.faults.twice).toEqual([id('a')]);
  expect(audit.exactlyOnce).toBe(false);
});

test.each([
  ['final', undefined, 'missing'],
  ['pending', undefined, 'missing'],
  ['lost', undefined, 'missing'],
  ['expired', 'final', 'resurrected'],
  ['final', 'failed', 'contradicted'],
] as const)('reported %s while the chain has %s is %s', (outcome, end, fault) => {
  const ends = new Map(end === undefined ? [] : [['x', end] as const]);
  const { faults, exactlyOnce } = compare(new Map([['x', outcome]]), ends, []);
  expect(faults[fault]).toEqual(['x']);
  expect(exactlyOnce).toBe(false);
});

test('an unreadable block ends the audit without a verdict', async () => {
  const node = { name: 'n', client: { blockOutcomes: () => Promise.reject(new Error('gone')) } as unknown as Client };
  await expect(auditChain({ node, fromHeight: 0, toHeight: 1, fates: new Map() })).rejects.toMatchObject({
    code: 'audit-failed',
  });
});
