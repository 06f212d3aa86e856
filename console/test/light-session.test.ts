/** What the page shows of the checks of its light client. */
import type { HeightCheck } from '@slipstream/client/light';
import { expect, test } from 'vitest';
import { createTally } from '../src/proof/light-session.ts';
import type { HeightVerdict } from '../src/proof/live-message.ts';
import { verdictOn } from '../src/proof/live-state.ts';

function checkOf(height: number, finalization: boolean | null): HeightCheck {
  const result = finalization === null ? { fault: 'it does not hold' } : { height, finalization };
  return { height, node: 'http://node', result, tookMs: 10 } as unknown as HeightCheck;
}

test('certificates, refusals, skipped heights and the share of a core are counted', () => {
  let nowMs = 0;
  const tally = createTally(() => nowMs);
  nowMs = 100;
  expect(tally.add(checkOf(10, true))).toEqual({ verified: 2, refused: 0, passedOver: 0, busyShare: 0.1 });
  expect(tally.add(checkOf(11, false))).toMatchObject({ verified: 3, passedOver: 0 });
  expect(tally.add(checkOf(15, null))).toMatchObject({ verified: 3, refused: 1, passedOver: 3 });
  expect(tally.add(checkOf(12, true))).toMatchObject({ verified: 5, refused: 1, passedOver: 3 });
});

test('a height is verified for the certified block alone', () => {
  const verdict: HeightVerdict = { height: 4, blockId: '0xaa', fault: null, finalization: true, tookMs: 1 };
  expect(verdictOn(verdict, '0xaa')).toBe('verified');
  expect(verdictOn(verdict, '0xbb')).toEqual({ fault: expect.stringContaining('0xaa') });
  expect(verdictOn({ ...verdict, blockId: null, fault: 'no' }, '0xaa')).toEqual({ fault: 'no' });
  expect(verdictOn(undefined, '0xaa')).toBeUndefined();
  expect(verdictOn(verdict, null)).toBeUndefined();
});
