import type { Verifier } from '@slipstream/ports';
import { CodedError } from '@slipstream/primitives';
import { expect, test } from 'vitest';
import { verdictOn } from '../src/verdicts.ts';

const CERTIFICATE = { message: new Uint8Array(32), signers: [0, 1, 2], aggregate: new Uint8Array(96) };
const REQUEST = { type: 'certificate', request: CERTIFICATE } as const;

/** A verifier that throws these in turn, then says yes; time passes at once, and is added up. */
function fullFor(...errors: readonly Error[]) {
  const left = [...errors];
  const waits: number[] = [];
  const verifier = {
    async checkCertificate() {
      const error = left.shift();
      if (error !== undefined) throw error;
      return true;
    },
  } as unknown as Verifier;
  const clock = {
    after(ms: number, then: () => void) {
      waits.push(ms);
      queueMicrotask(then);
      return () => {};
    },
  };
  return { components: { verifier, clock }, waits };
}

test('a check that finds the lane full waits for a slot: load from members stops no node', async () => {
  const full = new CodedError('queue-full', 'the lane is full');
  const { components, waits } = fullFor(full, full);
  expect(await verdictOn(components, REQUEST)).toEqual({ type: 'certificate', valid: true });
  expect(waits).toHaveLength(2);
});

test('any other failure of the verifier fails the node', async () => {
  const stopped = new CodedError('stopped', 'the verifier is stopped');
  const { components, waits } = fullFor(stopped);
  await expect(verdictOn(components, REQUEST)).rejects.toBe(stopped);
  expect(waits).toEqual([]);
});
