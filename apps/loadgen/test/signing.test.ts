import { ed25519PublicKey, ed25519Verify } from '@slipstream/crypto/native';
import { generatedAccount } from '@slipstream/execution';
import { to0x } from '@slipstream/primitives';
import { accountKeyText, transactionCodec, transactionIdInBytes } from '@slipstream/types';
import { afterAll, expect, test } from 'vitest';
import { builtApplication, exampleSource } from '../../../packages/execution/test/application-builders.ts';
import { createSigning, type SigningTask } from '../src/signing/sign-transfers.ts';
import { signedAt } from '../src/signing/signed-batch.ts';
import { createSignerPool } from '../src/signing/signer-pool.ts';
import { endlessSource, signAll, sourceOf } from '../src/signing/transfer-source.ts';
import { planBlock, TRANSFER_BYTES } from '../src/workload/transfer-plan.ts';

const workload = { seed: 'test', accounts: 50, transactionBytes: 0 };
const task: SigningTask = {
  workload,
  genesisHash: new Uint8Array(32).fill(3),
  accountsSeed: new Uint8Array(32).fill(5),
  maxFee: 7n,
};
const pool = createSignerPool(task, 2);
afterAll(() => pool.close());

test('a planned transfer is signed by the genesis account at its index, and survives a round trip', () => {
  const batch = createSigning(task)({ block: 4, count: 20, expiryMs: 1_000_000, stepMs: 2.5 });
  const plan = planBlock(workload, 4);
  for (let index = 0; index < batch.count; index++) {
    const signed = signedAt(batch, index);
    const decoded = transactionCodec.decode(signed.bytes);
    if (!decoded.ok) throw new Error(decoded.error.message);
    const { body, auth } = decoded.value;
    const sender = generatedAccount(task.accountsSeed, plan[index]?.sender ?? -1, ed25519PublicKey);
    expect(accountKeyText(body.sender)).toBe(accountKeyText(sender));
    expect(body.expiryMs).toBe(Math.floor(1_000_000 + index * 2.5));
    expect(signed.expiryMs).toBe(body.expiryMs);
    expect(body.maxFee).toBe(7n);
    const id = transactionIdInBytes(signed.bytes);
    expect(signed.id).toBe(to0x(id));
    expect(auth.scheme).toBe('ed25519');
    expect(ed25519Verify(sender.bytes, id, auth.signature)).toBe(true);
    expect(signed.bytes.length).toBe(TRANSFER_BYTES);
  }
});

test('with the token every other transaction is a transfer of it', async () => {
  const { manifest, json } = await builtApplication(exampleSource('token'));
  const batch = createSigning({ ...task, token: manifest })({ block: 0, count: 4, expiryMs: 1, stepMs: 0 });
  const actions = Array.from({ length: batch.count }, (_, index) => {
    const decoded = transactionCodec.decode(signedAt(batch, index).bytes);
    return decoded.ok ? decoded.value.body.actions[0] : undefined;
  });
  expect(actions.map((action) => action?.kind)).toEqual(['transfer', 'call', 'transfer', 'call']);
  const [, call] = actions;
  expect(call?.kind === 'call' && json.inputToJson(call.action, call.input)).toMatchObject({ value: '1' });
});

test.each([250, 254, 1_000])(
  'a transaction of at least %d bytes is that long, or has the nearest length that actions allow',
  (bytes) => {
    const sign = createSigning({ ...task, workload: { ...workload, transactionBytes: bytes } });
    const { length } = signedAt(sign({ block: 0, count: 1, expiryMs: 1, stepMs: 0 }), 0).bytes;
    expect(length).toBe(Math.max(254, bytes));
  },
);

test('a run gives the same transactions in the same order for any number of threads', async () => {
  const plan = { transactions: 2_300, transactionsPerSecond: 500, firstBlock: 0, expiryMs: 5_000_000 };
  const source = sourceOf(await signAll(pool, plan));
  const inThreads = source.take(10_000) ?? [];
  expect(inThreads).toHaveLength(2_300);
  expect(source.take(1)).toBeUndefined();
  const sign = createSigning(task);
  const last = sign({ block: 2, count: 300, expiryMs: 5_000_000 + 2_000 * 2, stepMs: 2 });
  expect(inThreads.slice(2_000).map(({ id }) => id)).toEqual(
    Array.from({ length: 300 }, (_, index) => signedAt(last, index).id),
  );
});

test('an endless source gives every transaction once, in order, and none after its end', async () => {
  const ending = new AbortController();
  const options = { transactionsPerSecond: 40, lifeMs: 1_000, wallMs: () => 0, onError: () => ending.abort() };
  const source = endlessSource(pool, options, ending.signal);
  const ids: string[] = [];
  while (ids.length < 200) {
    ids.push(...(source.take(7) ?? []).map(({ id }) => id));
    await new Promise((resolve) => setImmediate(resolve));
  }
  ending.abort();
  expect(source.take(1)).toBeUndefined();
  const sign = createSigning(task);
  const expected = Array.from({ length: 5 }, (_, block) => sign({ block, count: 40, expiryMs: 1_000, stepMs: 0 }));
  expect(ids.slice(0, 200)).toEqual(
    expected.flatMap((batch) => Array.from({ length: 40 }, (_, index) => signedAt(batch, index).id)),
  );
});
