/** Validity with real keys, and the attacks on it. A test of an attack fails when its answer is taken out. */
import { createInlineVerifier } from '@slipstream/crypto/native';
import {
  ACCOUNT_SIGNATURES_MAX,
  type AccountSignature,
  DISTILLED_CLAIMS_MAX,
  type DistilledVerifier,
} from '@slipstream/ports';
import { describe, expect, it } from 'vitest';
import { negated, sumCompressed } from '../../crypto/test/bls-points.ts';
import {
  BATCH_ROWS_MAX,
  type Batch,
  type BatchClaims,
  batchIdOf,
  checkBatchForm,
  checkClaims,
  columnsOf,
  type FormContext,
  signersOf,
} from '../src/index.ts';
import {
  type Account,
  batchOf,
  createAccount,
  directoryOf,
  EPOCH,
  GENESIS,
  OTHER_GENESIS,
  ringOf,
  row,
} from './world.ts';

const ACCOUNTS = Array.from({ length: 8 }, (_, i) => createAccount(i));
const directory = directoryOf(ACCOUNTS);
const CONTEXT: FormContext = { genesisHash: GENESIS, epoch: EPOCH, directory };
const { verifier, distilled } = createInlineVerifier({ committees: [] });
const CHECKS = { ...distilled, checkAccounts: verifier.checkAccounts };

function claimsOf(batch: Batch, context = CONTEXT): BatchClaims {
  const claims = checkBatchForm(batch, context);
  if (!claims.ok) throw new Error(`the form is at fault: ${claims.error}`);
  return claims.value;
}

function areValid(batches: readonly Batch[], context = CONTEXT): Promise<readonly boolean[]> {
  return checkClaims(
    batches.map((batch) => claimsOf(batch, context)),
    CHECKS,
    'chunk',
  );
}

const isValid = async (batch: Batch, context = CONTEXT) => (await areValid([batch], context))[0];
const sound = batchOf(ACCOUNTS, { rows: ringOf(6) });
const accountAt = (index: number) => ACCOUNTS[index] as Account;

describe('a valid batch', () => {
  it('has the aggregate of all its senders', async () => expect(await isValid(sound)).toBe(true));

  it('has the same aggregate, summed of shares or signed with the sum of secrets', () => {
    const id = batchIdOf(GENESIS, sound.header);
    expect(sound.aggregate).toEqual(sumCompressed(ACCOUNTS.slice(0, 6).map(({ sign }) => sign(id))));
  });

  it('counts a sender of many rows once, and one with a straggler signature for some of them still', async () => {
    const rows = [row(0, 1, 5, 1), row(0, 2, 5, 2), row(0, 3, 5, 3), row(4, 1, 5)];
    const batch = batchOf(ACCOUNTS, { rows, stragglers: [1, 3] });
    expect([...signersOf(batch)]).toEqual([0]);
    expect(await isValid(batch)).toBe(true);
  });

  it('may be of stragglers alone, without an aggregate', async () => {
    const batch = batchOf(ACCOUNTS, { rows: ringOf(3), stragglers: [0, 1, 2] });
    expect(batch.aggregate).toBeUndefined();
    expect(await isValid(batch)).toBe(true);
  });

  it('is judged beside others by one multi-pairing, and beside a bad one for itself', async () => {
    const others = [2, 3, 4].map((sequence) => batchOf(ACCOUNTS, { rows: ringOf(4, sequence) }));
    expect(await areValid([sound, ...others])).toEqual([true, true, true, true]);
    const bad = { ...sound, aggregate: others[0]?.aggregate };
    expect(await areValid([others[0] as Batch, bad, others[1] as Batch])).toEqual([true, false, true]);
  });
});

describe('the form of a batch', () => {
  const faultOf = (batch: Batch, context: Partial<FormContext> = {}) =>
    checkBatchForm(batch, { ...CONTEXT, ...context });

  it('fails for another epoch (Z2)', () => {
    expect(faultOf(sound, { epoch: EPOCH + 1 })).toEqual({ ok: false, error: 'wrong-epoch' });
  });

  it('fails for a sender or recipient without an entry at knownAt (Z3)', () => {
    const smaller = { directory: { ...directory, size: 5 } };
    expect(faultOf(sound, smaller)).toEqual({ ok: false, error: 'index-unknown' });
    expect(faultOf(batchOf(ACCOUNTS, { rows: [row(0, 7, 1)] }), smaller)).toEqual({
      ok: false,
      error: 'index-unknown',
    });
    expect(faultOf(batchOf(ACCOUNTS, { rows: [row(0, 4, 1)] }), smaller).ok).toBe(true);
  });

  it('fails for a root of other rows (Z4)', () => {
    const other = { ...sound, rows: columnsOf(ringOf(6, 2)) };
    expect(faultOf(other)).toEqual({ ok: false, error: 'wrong-root' });
  });

  it('fails for a straggler whose account does not sign with Ed25519 (Z6)', () => {
    const pseudonyms = { directory: { ...directory, accountKey: () => undefined } };
    const batch = batchOf(ACCOUNTS, { rows: ringOf(3), stragglers: [1] });
    expect(faultOf(batch, pseudonyms)).toEqual({ ok: false, error: 'no-straggler-key' });
  });
});

describe('attacks', () => {
  it('a forged row of an account that did not sign is not carried by the others', async () => {
    const rows = [...ringOf(3), row(5, 0, 1_000_000)];
    const honest = batchOf(ACCOUNTS, { rows });
    const id = batchIdOf(GENESIS, honest.header);
    const withoutVictim = sumCompressed([0, 1, 2].map((index) => accountAt(index).sign(id)));
    expect(await isValid(honest)).toBe(true);
    expect(await isValid({ ...honest, aggregate: withoutVictim })).toBe(false);
  });

  it('errors that cancel over batches are found by secret coefficients (Z5)', async () => {
    const [first, second] = [ringOf(3), ringOf(3, 2)].map((rows) => batchOf(ACCOUNTS, { rows })) as [Batch, Batch];
    const error = accountAt(6).sign(new Uint8Array(32));
    const shifted = (batch: Batch, by: Uint8Array): Batch => ({
      ...batch,
      aggregate: sumCompressed([batch.aggregate as Uint8Array, by]),
    });
    const pair = [shifted(first, error), shifted(second, negated(error))];
    expect(sumCompressed(pair.map(({ aggregate }) => aggregate as Uint8Array))).toEqual(
      sumCompressed([first, second].map(({ aggregate }) => aggregate as Uint8Array)),
    );
    expect(await areValid(pair)).toEqual([false, false]);
  });

  it('errors that cancel within a batch leave a sound aggregate, which alone counts', async () => {
    const rows = ringOf(2);
    const batch = batchOf(ACCOUNTS, { rows });
    const id = batchIdOf(GENESIS, batch.header);
    const error = accountAt(6).sign(new Uint8Array(32));
    const shares = [
      sumCompressed([accountAt(0).sign(id), error]),
      sumCompressed([accountAt(1).sign(id), negated(error)]),
    ];
    expect(await isValid({ ...batch, aggregate: sumCompressed(shares) })).toBe(true);
  });

  it('keys that cancel prove nothing, with the identity as aggregate or another (Z5)', async () => {
    const key = accountAt(0);
    const rows = [row(0, 2, 5), row(1, 2, 5)];
    const batch = batchOf(ACCOUNTS, { rows });
    const cancelling = directoryOf([key, { ...key, publicKey: negated(key.publicKey) }, accountAt(2)]);
    const context = { ...CONTEXT, directory: cancelling };
    const identity = new Uint8Array(96);
    identity[0] = 0xc0;
    const id = batchIdOf(GENESIS, batch.header);
    for (const aggregate of [identity, key.sign(id), sumCompressed([key.sign(id), accountAt(1).sign(id)])]) {
      expect(await isValid({ ...batch, aggregate }, context)).toBe(false);
      expect(
        (
          await areValid(
            [
              { ...batch, aggregate },
              { ...batch, aggregate },
            ],
            context,
          )
        ).includes(true),
      ).toBe(false);
    }
  });

  it('an aggregate outside the group, or no point, is false', async () => {
    // On the curve of signatures, outside the group: found by trying x = 0, 1, ...
    const outside = new Uint8Array(96);
    outside[0] = 0x80;
    outside[95] = 2;
    expect(await isValid({ ...sound, aggregate: outside })).toBe(false);
    expect(await isValid({ ...sound, aggregate: new Uint8Array(96).fill(0xff) })).toBe(false);
  });

  it('a batch or a row of another chain does not hold here', async () => {
    const foreign = batchOf(ACCOUNTS, { rows: ringOf(3), genesisHash: OTHER_GENESIS });
    expect(await isValid(foreign)).toBe(false);
    const late = batchOf(ACCOUNTS, { rows: ringOf(3), stragglers: [0, 1, 2], genesisHash: OTHER_GENESIS });
    expect(await isValid(late)).toBe(false);
    expect(await isValid(late, { ...CONTEXT, genesisHash: OTHER_GENESIS })).toBe(true);
  });

  it('a row for an old index does not hold for the new index of the same account', async () => {
    const again = directoryOf([...ACCOUNTS, accountAt(0)]);
    const context = { ...CONTEXT, directory: again };
    const old = batchOf(ACCOUNTS, { rows: [row(0, 1, 5)], stragglers: [0] });
    const moved = batchOf([...ACCOUNTS, accountAt(0)], { rows: [row(8, 1, 5)], stragglers: [0] });
    const replayed = { ...moved, stragglers: old.stragglers };
    expect(await isValid(old, context)).toBe(true);
    expect(await isValid(replayed, context)).toBe(false);
  });

  it.each([
    ['row', { rows: [row(0, 1, 6)] }],
    ['expiry', { straggler: { expiryMs: 1, feeCap: 5n } }],
    ['fee cap', { straggler: { expiryMs: 2, feeCap: 6n } }],
  ])('a straggler signature holds for no other %s', async (_, change) => {
    const wishes = { rows: [row(0, 1, 5)], stragglers: [0], straggler: { expiryMs: 2, feeCap: 5n } };
    const signed = batchOf(ACCOUNTS, wishes);
    const other = batchOf(ACCOUNTS, { ...wishes, ...change });
    const [{ signature } = { signature: new Uint8Array() }] = signed.stragglers;
    expect(await isValid(other)).toBe(true);
    expect(await isValid({ ...other, stragglers: other.stragglers.map((each) => ({ ...each, signature })) })).toBe(
      false,
    );
  });

  it('a straggler without a sound signature makes the batch invalid, whatever the aggregate', async () => {
    const batch = batchOf(ACCOUNTS, { rows: ringOf(3), stragglers: [1] });
    expect(await isValid(batch)).toBe(true);
    const stragglers = batch.stragglers.map((each) => ({ ...each, signature: new Uint8Array(64) }));
    expect(await isValid({ ...batch, stragglers })).toBe(false);
  });
});

describe('claims', () => {
  it('are answered for each batch, with and without aggregate and stragglers', async () => {
    const three = [
      batchOf(ACCOUNTS, { rows: ringOf(3), stragglers: [0, 1, 2] }),
      sound,
      batchOf(ACCOUNTS, { rows: ringOf(4), stragglers: [3] }),
    ];
    const asked: number[] = [];
    const counting: DistilledVerifier = {
      checkDistilled(claims, priority) {
        asked.push(claims.length);
        return distilled.checkDistilled(claims, priority);
      },
    };
    const claims = three.map((batch) => claimsOf(batch));
    expect(await checkClaims(claims, { ...CHECKS, ...counting }, 'chunk')).toEqual([true, true, true]);
    expect(asked).toEqual([2]);
    expect(await checkClaims([], CHECKS, 'chunk')).toEqual([]);
  });

  it('are answered in parts when they are more than a call takes, as a chunk of small or late batches has', async () => {
    const small = claimsOf(batchOf(ACCOUNTS, { rows: ringOf(2) }));
    const bad = claimsOf({ ...sound, aggregate: accountAt(0).sign(new Uint8Array(32)) });
    const many = [...new Array<BatchClaims>(DISTILLED_CLAIMS_MAX).fill(small), bad, small];
    const answers = await checkClaims(many, CHECKS, 'chunk');
    expect(answers).toEqual(many.map((each) => each !== bad));

    const late = claimsOf(batchOf(ACCOUNTS, { rows: ringOf(2), stragglers: [0, 1] }));
    const [own] = late.stragglers as [AccountSignature];
    const full = { ...late, stragglers: new Array(BATCH_ROWS_MAX).fill(own) };
    const forged = { ...full, stragglers: [...full.stragglers.slice(1), { ...own, signature: new Uint8Array(64) }] };
    // The answers of stand-ins, since so many signatures take a second.
    const asked: number[] = [];
    const checkAccounts = async (signatures: readonly AccountSignature[]) => {
      asked.push(signatures.length);
      return signatures.map(({ signature }) => signature === own.signature);
    };
    expect(await checkClaims([full, forged, full], { ...CHECKS, checkAccounts }, 'chunk')).toEqual([true, false, true]);
    expect(asked).toEqual([ACCOUNT_SIGNATURES_MAX, ACCOUNT_SIGNATURES_MAX, 4_576]);
  });
});
