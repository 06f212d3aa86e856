import { expect, test } from 'vitest';
import { createCommitteeKeys } from '../src/native/committee-keys.ts';
import { committeeOf } from './committee.ts';

const { publicKeys } = committeeOf(5);

test('a key is decoded once, at its first use or ahead of it', () => {
  const keys = createCommitteeKeys(publicKeys);
  const used = keys.key(3);
  expect(new Uint8Array(used?.toBytes(true) ?? [])).toEqual(publicKeys[3]);
  expect(keys.decodeAhead(4)).toBe(true);
  expect(keys.decodeAhead(4)).toBe(false);
  expect(keys.decodeAhead(4)).toBe(false);
  expect(keys.key(3)).toBe(used);
  expect(keys.sum([3])).toBe(used);
  expect(keys.sum([0, 1])).toBe(keys.sum([0, 1]));
});

test('an invalid key has no point, and neither has a sum with it', () => {
  const keys = createCommitteeKeys([...publicKeys, new Uint8Array(48)]);
  expect(keys.decodeAhead(6)).toBe(false);
  expect(keys.key(5)).toBeUndefined();
  expect(keys.sum([5])).toBeUndefined();
  expect(keys.sum([0, 5])).toBeUndefined();
  expect(keys.sum([0, 4])).toBeDefined();
});
