import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  asId,
  encodeReceipts,
  FAILURE_CODES,
  type FailureCode,
  height,
  RECEIPT_OUTPUT_BYTES_MAX,
  type Receipt,
  receiptCodec,
  type TransactionId,
} from '../src/index.ts';

const outcome: fc.Arbitrary<Receipt['outcome']> = fc.oneof(
  fc.constant({ status: 'success' as const }),
  fc.record({
    status: fc.constant('failed' as const),
    code: fc.constantFrom(...(Object.keys(FAILURE_CODES) as FailureCode[])),
    action: fc.nat(15),
  }),
);
const receipt: fc.Arbitrary<Receipt> = fc.record({
  transactionId: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((id) => asId<TransactionId>(id)),
  outcome,
  output: fc.uint8Array({ maxLength: RECEIPT_OUTPUT_BYTES_MAX }),
  fee: fc.bigInt(0n, 2n ** 64n - 1n),
  units: fc.array(fc.maxSafeNat(), { minLength: 5, maxLength: 5 }),
  height: fc.maxSafeNat().map(height),
  index: fc.nat(2 ** 32 - 1),
});

describe('the receipts of a block', () => {
  it('are written with the bytes that the codec gives', () => {
    fc.assert(
      fc.property(fc.array(receipt, { maxLength: 20 }), (receipts) => {
        expect(encodeReceipts(receipts)).toEqual(receipts.map((each) => receiptCodec.encode(each)));
      }),
    );
  });
});
