import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeSubmission,
  decodeSubmissionMessage,
  encodeHeartbeat,
  encodeHello,
  encodeNotices,
  encodeResults,
  encodeSubmission,
  REFUSAL_REASONS,
  SUBMISSION_CODES,
  type SubmissionCode,
  TRANSACTION_STATUSES,
} from '../src/index.ts';

const u32 = fc.nat({ max: 2 ** 32 - 1 });
const id = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('the messages of the submission stream', () => {
  it('read back as what was written', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (transactions) => {
        expect(decodeSubmission(encodeSubmission(transactions), 20)).toEqual({ ok: true, value: transactions });
      }),
    );
    const row = fc.record({ code: fc.constantFrom(...(Object.keys(SUBMISSION_CODES) as SubmissionCode[])), id });
    const results = fc.record({ first: u32, retryAfterMs: u32, results: fc.array(row, { maxLength: 20 }) });
    fc.assert(
      fc.property(results, (value) => {
        expect(decodeSubmissionMessage(encodeResults(value))).toEqual({
          ok: true,
          value: { type: 'results', ...value },
        });
      }),
    );
    const height = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    const notice = fc.record({ number: u32, status: fc.constantFrom(...TRANSACTION_STATUSES), height, index: u32 });
    fc.assert(
      fc.property(fc.array(notice, { maxLength: 20 }), (notices) => {
        expect(decodeSubmissionMessage(encodeNotices(notices))).toEqual({
          ok: true,
          value: { type: 'notices', notices },
        });
      }),
    );
    const hello = fc.record({ windowTransactions: u32, frameBytesMax: u32, followedMax: u32, genesisHash: id });
    fc.assert(
      fc.property(hello, (value) => {
        expect(decodeSubmissionMessage(encodeHello(value))).toEqual({ ok: true, value: { type: 'hello', ...value } });
      }),
    );
    expect(decodeSubmissionMessage(encodeHeartbeat())).toEqual({ ok: true, value: { type: 'heartbeat' } });
  });

  it('never throw, whatever bytes come, and never read beyond them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(0x01, 0x81, 0x82, 0x83, 0x84), (bytes, kind) => {
        const message = Uint8Array.of(kind, ...bytes);
        const submission = decodeSubmission(message, 1000);
        if (submission.ok) {
          const total = submission.value.reduce((sum, { length }) => sum + 4 + length, 1);
          expect(total).toBe(message.length);
        }
        decodeSubmissionMessage(message);
      }),
    );
  });

  it('are read no further than the transactions that a submission may hold: four bytes make an empty one', () => {
    const empty = (count: number) => Array.from({ length: count }, () => new Uint8Array(0));
    expect(decodeSubmission(encodeSubmission(empty(3)), 3)).toEqual({ ok: true, value: empty(3) });
    // The rest is not read: it would be cut short.
    const more = Uint8Array.of(...encodeSubmission(empty(3)), 1);
    expect(decodeSubmission(more, 3)).toEqual({ ok: false, error: 'holds more than 3 transactions' });
  });

  it('have a code of its own for every reason of a refusal', () => {
    for (const reason of REFUSAL_REASONS) expect(SUBMISSION_CODES).toHaveProperty(reason);
    const codes = Object.values(SUBMISSION_CODES);
    expect(new Set(codes).size).toBe(codes.length);
  });
});
