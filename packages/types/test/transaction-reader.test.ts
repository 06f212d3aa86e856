import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Action,
  asId,
  createCredentialMemory,
  decodeTransaction,
  ed25519Account,
  type GenesisHash,
  pseudonymAccount,
  type Transaction,
  transactionCodec,
} from '../src/index.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const amount = fc.bigInt(0n, 2n ** 64n - 1n);
const account = bytes(32).chain((key) => fc.constantFrom(ed25519Account(key), pseudonymAccount(key)));
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('transfer' as const), to: account, amount }),
  fc.record({
    kind: fc.constant('transferMany' as const),
    outputs: fc.array(fc.record({ to: account, amount }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('setData' as const), name: fc.constantFrom('a', 'colour'), value: bytes(5) }),
);
const signature = bytes(64);
const grant = fc.record({
  issuer: bytes(32),
  target: bytes(32),
  pseudonym: bytes(32),
  sessionKey: bytes(32),
  service: fc.constantFrom('wallet.example', 'é'),
  scope: fc.constantFrom(2, 14),
  spendLimit: amount,
  expiryMs: fc.maxSafeNat(),
});
const credential = fc.record({
  grant,
  root: fc.option(fc.record({ key: bytes(48), expiryMs: fc.maxSafeNat() }), { nil: undefined }),
  proof: fc.uint8Array({ maxLength: 40 }),
});
const authority = fc.oneof(
  fc.record({ sender: bytes(32).map(ed25519Account), auth: fc.record({ scheme: fc.constant('ed25519'), signature }) }),
  fc.record({
    sender: bytes(32).map(pseudonymAccount),
    auth: fc.oneof(
      fc.record({ scheme: fc.constant('session'), signature, credential }),
      fc.record({ scheme: fc.constant('session-hash'), signature, sessionKey: bytes(32), grantId: bytes(32) }),
    ),
  }),
);
const encoded = fc
  .record({
    authority,
    body: fc.record({
      genesisHash: bytes(32).map((hash) => asId<GenesisHash>(hash)),
      expiryMs: fc.maxSafeNat(),
      salt: bytes(8),
      maxFee: amount,
      actions: fc.array(action, { minLength: 1, maxLength: 4 }),
    }),
  })
  .map(({ authority: { sender, auth }, body }) =>
    transactionCodec.encode({ body: { ...body, sender }, auth } as unknown as Transaction),
  );

const damage = fc.oneof(
  fc.record({ at: fc.nat(400), byte: fc.nat(255) }).map(({ at, byte }) => (from: Uint8Array) => {
    const damaged = from.slice();
    damaged[at % damaged.length] = byte;
    return damaged;
  }),
  fc.nat(300).map((length) => (from: Uint8Array) => from.slice(0, length)),
  bytes(3).map((more) => (from: Uint8Array) => new Uint8Array([...from, ...more])),
);

/** With a memory of every decodable credential: it must return no other. */
function readKnowing(
  credentials: ReturnType<typeof createCredentialMemory>,
  read: Uint8Array,
): Transaction | undefined {
  const { transaction } = decodeTransaction(read, credentials);
  if (transaction?.auth.scheme === 'session') credentials.keep(transaction.auth.credential);
  return transaction;
}

describe('reading a transaction in place', () => {
  it('gives what the codec gives, for valid bytes and for damaged ones', () => {
    const known = createCredentialMemory();
    fc.assert(
      fc.property(encoded, fc.array(damage, { maxLength: 3 }), (sound, damages) => {
        const read = damages.reduce((from, damaged) => damaged(from), sound);
        const decoded = transactionCodec.decode(read);
        expect(decodeTransaction(read).transaction).toEqual(decoded.ok ? decoded.value : undefined);
        expect(readKnowing(known, sound)).toBeDefined();
        expect(readKnowing(known, read)).toEqual(decoded.ok ? decoded.value : undefined);
      }),
      { numRuns: 600 },
    );
  });

  it('gives what the codec gives, whichever byte of a transfer is changed', () => {
    fc.assert(
      fc.property(encoded, fc.integer({ min: 1, max: 255 }), (sound, change) => {
        for (let at = 0; at < sound.length; at++) {
          const read = sound.slice();
          read[at] = (read[at] as number) ^ change;
          const decoded = transactionCodec.decode(read);
          expect(decodeTransaction(read).transaction).toEqual(decoded.ok ? decoded.value : undefined);
        }
      }),
      { numRuns: 6 },
    );
  });
});
