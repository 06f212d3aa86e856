import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Action,
  asId,
  decodeTransaction,
  ed25519Account,
  type GenesisHash,
  transactionCodec,
} from '../src/index.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const amount = fc.bigInt(0n, 2n ** 64n - 1n);
const account = bytes(32).map(ed25519Account);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('transfer' as const), to: account, amount }),
  fc.record({
    kind: fc.constant('transferMany' as const),
    outputs: fc.array(fc.record({ to: account, amount }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('setData' as const), name: fc.constantFrom('a', 'colour'), value: bytes(5) }),
);
const encoded = fc
  .record({
    body: fc.record({
      genesisHash: bytes(32).map((hash) => asId<GenesisHash>(hash)),
      sender: account,
      expiryMs: fc.maxSafeNat(),
      salt: bytes(8),
      maxFee: amount,
      actions: fc.array(action, { minLength: 1, maxLength: 4 }),
    }),
    auth: fc.record({ scheme: fc.constant('ed25519' as const), signature: bytes(64) }),
  })
  .map((value) => transactionCodec.encode(value));

/** A byte replaced, some cut off, or some added. */
const damage = fc.oneof(
  fc.record({ at: fc.nat(400), byte: fc.nat(255) }).map(({ at, byte }) => (from: Uint8Array) => {
    const damaged = from.slice();
    damaged[at % damaged.length] = byte;
    return damaged;
  }),
  fc.nat(300).map((length) => (from: Uint8Array) => from.slice(0, length)),
  bytes(3).map((more) => (from: Uint8Array) => new Uint8Array([...from, ...more])),
);

describe('reading a transaction in place', () => {
  it('gives what the codec gives, for sound bytes and for damaged ones', () => {
    fc.assert(
      fc.property(encoded, fc.array(damage, { maxLength: 3 }), (sound, damages) => {
        const read = damages.reduce((from, damaged) => damaged(from), sound);
        const decoded = transactionCodec.decode(read);
        expect(decodeTransaction(read).transaction).toEqual(decoded.ok ? decoded.value : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives what the codec gives, whichever byte of a transfer is another', () => {
    fc.assert(
      fc.property(encoded, fc.integer({ min: 1, max: 255 }), (sound, change) => {
        for (let at = 0; at < sound.length; at++) {
          const read = sound.slice();
          read[at] = (read[at] as number) ^ change;
          const decoded = transactionCodec.decode(read);
          expect(decodeTransaction(read).transaction).toEqual(decoded.ok ? decoded.value : undefined);
        }
      }),
      { numRuns: 15 },
    );
  });
});
