/** Never below what a route accepts. */
import { BATCH_TRANSACTIONS_MAX } from '@slipstream/schema';
import { expect, it } from 'vitest';
import { holdsTooMuch } from '../src/json-body.ts';

const TOO_MANY = 20_001;

it.each([
  ['a full batch', { transactions: Array.from({ length: BATCH_TRANSACTIONS_MAX }, () => `0x${'[,{'.repeat(1_000)}`) }],
  // 64 KiB with 45 bytes per transfer.
  ['a transaction of transfers alone', { actions: Array.from({ length: 1_456 }, () => ({ to: '0x01', amount: '1' })) }],
  ['text with quotes and backslashes before them', ['"', '\\', '\\"', '\\\\"', '",[[['.repeat(TOO_MANY)]],
])('%s is within the limits', (_, json) => {
  expect(holdsTooMuch(JSON.stringify(json))).toBe(false);
});

it.each([
  ['levels', '['.repeat(TOO_MANY)],
  ['objects', '{"a":'.repeat(TOO_MANY)],
  ['elements', `[${'0,'.repeat(TOO_MANY)}0]`],
  ['levels behind text that ends in a backslash', `["\\\\",${'['.repeat(TOO_MANY)}`],
])('too many %s exceed the limits', (_, text) => {
  expect(holdsTooMuch(text)).toBe(true);
});

it('unterminated text is scanned once', () => {
  expect(holdsTooMuch(`["${'['.repeat(TOO_MANY)}`)).toBe(false);
  expect(holdsTooMuch('')).toBe(false);
});
