import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  asId,
  decodeTransaction,
  ed25519Account,
  type GenesisHash,
  type Transaction,
  transactionCodec,
  transactionIdOf,
} from '../src/index.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const account = bytes(32).map(ed25519Account);
const transaction: fc.Arbitrary<Transaction> = fc.record({
  body: fc.record({
    genesisHash: bytes(32).map((hash) => asId<GenesisHash>(hash)),
    sender: account,
    expiryMs: fc.maxSafeNat(),
    salt: bytes(8),
    maxFee: fc.bigInt(0n, 2n ** 64n - 1n),
    actions: fc.array(
      fc.record({ kind: fc.constant('transfer' as const), to: account, amount: fc.bigInt(0n, 2n ** 64n - 1n) }),
      { minLength: 1, maxLength: 16 },
    ),
  }),
  auth: fc.record({ scheme: fc.constant('ed25519' as const), signature: bytes(64) }),
});

describe('a prepared transaction', () => {
  it('has the id of its body, at any offset in memory', () => {
    fc.assert(
      fc.property(transaction, fc.nat(9), (value, offset) => {
        const encoded = transactionCodec.encode(value);
        const around = new Uint8Array(encoded.length + 20).fill(255);
        around.set(encoded, offset);
        const decoded = decodeTransaction(around.subarray(offset, offset + encoded.length));
        expect(decoded.id).toEqual(transactionIdOf(value.body));
        expect(decoded.transaction).toEqual(value);
      }),
    );
  });

  it('has a distinct id when it is no transaction', () => {
    const [one, other] = [new Uint8Array([1]), new Uint8Array([2])].map((each) => decodeTransaction(each));
    expect(one?.transaction).toBeUndefined();
    expect(one?.id).not.toEqual(other?.id);
    expect(decodeTransaction(new Uint8Array([1])).id).toEqual(one?.id);
  });
});
