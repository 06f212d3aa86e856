import type { Statement, Verifier } from '@slipstream/ports';
import { CodedError } from '@slipstream/primitives';
import { expect, test } from 'vitest';
import { verdictOn, verdictsOnCertificates } from '../src/verdicts.ts';

const CERTIFICATE = { epoch: 0, message: new Uint8Array(32), signers: [0, 1, 2], aggregate: new Uint8Array(96) };
const REQUEST = { type: 'certificate', request: CERTIFICATE } as const;

/** A verifier that throws these in turn, then says yes; time passes at once, and is added up. */
function fullFor(...errors: readonly Error[]) {
  const left = [...errors];
  const waits: number[] = [];
  const batches: number[] = [];
  const verifier = {
    async checkCertificate() {
      const error = left.shift();
      if (error !== undefined) throw error;
      return true;
    },
    async checkBatch(batch: readonly Statement[]) {
      const error = left.shift();
      if (error !== undefined) throw error;
      batches.push(batch.length);
      return batch.map(({ message }) => message[0] === 0);
    },
  } as unknown as Verifier;
  const clock = {
    after(ms: number, then: () => void) {
      waits.push(ms);
      queueMicrotask(then);
      return () => {};
    },
  };
  return { components: { verifier, clock }, waits, batches };
}

test('a check that finds the lane full waits for a slot: load from members stops no node', async () => {
  const full = new CodedError('queue-full', 'the lane is full');
  const { components, waits } = fullFor(full, full);
  expect(await verdictOn(components, REQUEST)).toEqual({ type: 'certificate', valid: true });
  expect(waits).toHaveLength(2);
});

test('certificates of one step are one batch with a verdict each, and wait together for a slot in a full lane', async () => {
  const { components, waits, batches } = fullFor(new CodedError('queue-full', 'the lane is full'));
  const bad = { ...CERTIFICATE, message: new Uint8Array(32).fill(1) };
  const verdicts = await verdictsOnCertificates(components, [CERTIFICATE, bad, CERTIFICATE]);
  expect(verdicts).toEqual([true, false, true].map((valid) => ({ type: 'certificate', valid })));
  expect(waits).toHaveLength(1);
  expect(batches).toEqual([3]);
});

test('any other failure of the verifier fails the node', async () => {
  const stopped = new CodedError('stopped', 'the verifier is stopped');
  const { components, waits } = fullFor(stopped);
  await expect(verdictOn(components, REQUEST)).rejects.toBe(stopped);
  expect(waits).toEqual([]);
});
