/** Jobs and replies between a verifier's threads. */
import type { AccountSignature, DistilledClaim, SignedVote, Statement } from '@slipstream/ports';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJob, encodeJob, JOB_LANES, type Job, readEnvelope } from '../src/native/job-wire.ts';
import { decodeReply, encodeReply, type Reply } from '../src/native/reply-wire.ts';

const bytes = fc.uint8Array({ maxLength: 40 });
const some = fc.uint8Array({ minLength: 1, maxLength: 40 });
const u32 = fc.nat(2 ** 32 - 1);
const epoch = fc.oneof(fc.constantFrom(0, 1, 256, 2 ** 32 - 1), u32);

const vote: fc.Arbitrary<SignedVote> = fc.record({ signer: u32, signature: bytes, verified: fc.boolean() });
const statement: fc.Arbitrary<Statement> = fc.oneof(
  fc.record({ kind: fc.constant('vote' as const), epoch, message: bytes, signer: u32, signature: bytes }),
  fc.record({
    kind: fc.constant('certificate' as const),
    epoch,
    message: bytes,
    signers: fc.array(u32),
    aggregate: bytes,
  }),
  fc.record({ kind: fc.constant('aggregate' as const), message: bytes, publicKeys: fc.array(bytes), aggregate: bytes }),
);
const account: fc.Arbitrary<AccountSignature> = fc.record({ publicKey: bytes, message: bytes, signature: bytes });
const claim: fc.Arbitrary<DistilledClaim> = fc.record({ message: bytes, keys: bytes, aggregate: bytes });

const jobs: fc.Arbitrary<Job> = fc.oneof(
  fc.record({ kind: fc.constant('sign' as const), publicKey: bytes, messages: fc.array(bytes) }),
  fc.record({ kind: fc.constant('add-key' as const), secretKey: bytes }),
  fc.record({ kind: fc.constant('remove-key' as const), publicKey: bytes }),
  fc.record({
    kind: fc.constant('quorum' as const),
    request: fc.record({ epoch, message: bytes, votes: fc.array(vote) }),
  }),
  fc.record({ kind: fc.constant('batch' as const), batch: fc.array(statement) }),
  fc.record({ kind: fc.constant('accounts' as const), batch: fc.array(account) }),
  fc.record({ kind: fc.constant('distilled' as const), claims: fc.array(claim) }),
  fc.record({
    kind: fc.constant('shares' as const),
    request: fc.record({ message: bytes, shares: fc.array(fc.record({ keys: bytes, signature: bytes })) }),
  }),
);

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const replies: fc.Arbitrary<Reply> = fc.oneof(
  fc.record({ kind: fc.constant('sign' as const), signatures: optional(fc.array(bytes)) }),
  fc.record({ kind: fc.constant('add-key' as const), publicKey: optional(some) }),
  fc.record({ kind: fc.constant('remove-key' as const) }),
  fc.record({
    kind: fc.constant('quorum' as const),
    result: fc.record({
      aggregate: optional(some),
      offenders: fc.array(u32),
      verified: fc.array(u32),
      checks: u32,
      tookMs: fc.double({ noNaN: true }),
    }),
  }),
  fc.record({
    kind: fc.constantFrom('batch' as const, 'distilled' as const),
    answers: fc.record({ checks: u32, valid: fc.array(fc.boolean()) }),
  }),
  fc.record({ kind: fc.constant('accounts' as const), answers: fc.array(fc.boolean()) }),
  fc.record({
    kind: fc.constant('shares' as const),
    answers: fc.record({ aggregate: optional(some), good: fc.array(fc.boolean()), checks: u32 }),
  }),
);

test('a job is read as it was written, with its lane', () => {
  fc.assert(
    fc.property(u32, fc.constantFrom(...JOB_LANES), jobs, (id, lane, job) => {
      const encoded = encodeJob({ id, lane }, job);
      expect(readEnvelope(encoded)).toEqual({ id, lane });
      expect(decodeJob(encoded)).toEqual(job);
    }),
  );
});

test('a reply is read as it was written', () => {
  fc.assert(
    fc.property(u32, replies, (id, reply) => {
      expect(decodeReply(encodeReply(id, reply))).toEqual({ id, reply });
    }),
  );
});
