/** Rows that do not end in time, and what a client may say of them. */
import { createBlsSigner } from '@slipstream/crypto/native';
import { skipByte } from '@slipstream/distilled';
import { ACCOUNT_ROWS_MAX } from '@slipstream/distilled/stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closeAll, createWorld, ME, until } from './world.ts';

const transfer = { to: 7, amount: 1n };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  closeAll();
  vi.useRealTimers();
});

const ended = (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error: unknown) => error,
  );

test('without a broker a transfer ends, and did not run', async () => {
  const { distillery, brokers } = createWorld([{}]);
  brokers[0]?.kill();
  const end = ended(distillery.transfer(transfer));
  await distillery.ready();
  vi.setSystemTime(Date.now() + 51_000);
  const reason = expect.stringMatching(/^http:..a\.test: unreachable: /);
  expect(await end).toMatchObject({ code: 'row-expired', data: { mayHaveRun: false, reason } });
});

test('a transfer that waits for too many others of its sender ends, and says so', async () => {
  const { distillery, brokers } = createWorld([{ lies: { onRows: () => {} } }], { patienceMs: 1_000_000 });
  const ends = Array.from({ length: ACCOUNT_ROWS_MAX + 1 }, () => ended(distillery.transfer(transfer)));
  await until(() => (brokers[0]?.rowMessages.length ?? 0) > 0);
  vi.setSystemTime(Date.now() + 51_000);
  const reason = 'too many rows of its sender are in flight';
  expect(await ends.at(-1)).toMatchObject({ code: 'row-expired', data: { mayHaveRun: false, reason } });
});

test('a row that a broker keeps ends 15 s after its expiry, and may have run', async () => {
  const { distillery, brokers } = createWorld([{ lies: { onRows: () => {} } }], { patienceMs: 1_000_000 });
  let isEnded = false;
  const end = ended(distillery.transfer(transfer)).finally(() => {
    isEnded = true;
  });
  await until(() => (brokers[0]?.rowMessages.length ?? 0) > 0);
  brokers[0]?.kill();
  await until(() => isEnded || (brokers[0]?.logins.length ?? 0) > 0);
  vi.setSystemTime(Date.now() + 60_000);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(isEnded).toBe(false);
  vi.setSystemTime(Date.now() + 10_000);
  expect(await end).toMatchObject({ code: 'row-expired', data: { mayHaveRun: true, sequence: 1 } });
});

test('a row that ran in a batch whose outcome never came is found by its proof', async () => {
  const { distillery, ledger } = createWorld([{ lies: { hidesOutcomes: true } }], { patienceMs: 1_000_000 });
  const end = ended(distillery.transfer(transfer));
  await until(() => ledger.ran.has(`${ME}/1`));
  vi.setSystemTime(Date.now() + 70_000);
  expect(await end).toMatchObject({ status: 'success', proof: 'proven', sequence: 1, fee: 20n });
});

test('a row that ran without a share and an outcome paid the fee of its own signature, not the most it allowed', async () => {
  let signed = 0;
  const { distillery, ledger } = createWorld([{ lies: { hidesOutcomes: true, runsUnsigned: true } }], {
    patienceMs: 1_000_000,
    signShare(message, secret) {
      if (signed++ > 0) throw new Error('it signs the login alone');
      return createBlsSigner(secret).sign(message);
    },
  });
  const end = ended(distillery.transfer(transfer));
  await until(() => ledger.ran.has(`${ME}/1`));
  vi.setSystemTime(Date.now() + 70_000);
  expect(await end).toMatchObject({ status: 'success', fee: 300n });
});

test('a row that another batch ran first is found there', async () => {
  const { distillery, ledger, brokers } = createWorld([{ lies: { hidesOutcomes: true } }, {}], { patienceMs: 400 });
  void until(() => ledger.ran.has(`${ME}/1`)).then(() => vi.setSystemTime(Date.now() + 500));
  const end = await ended(distillery.transfer(transfer));
  expect(end).toMatchObject({ status: 'success', sequence: 1 });
  expect(brokers[1]?.shares).toHaveLength(1);
  expect([...ledger.ran.keys()].filter((name) => name === `${ME}/1`)).toHaveLength(1);
});

test('a row that is skipped ends so, with the reason and how long it may run elsewhere', async () => {
  const outcomes = (reported: { readonly outcomes: Uint8Array }) => {
    return { ...reported, outcomes: reported.outcomes.map(() => skipByte('fee-not-covered')) };
  };
  const { distillery } = createWorld([{ lies: { outcomes: outcomes as never } }], { prove: false });
  const end = await ended(distillery.transfer(transfer));
  expect(end).toMatchObject({ code: 'row-skipped', data: { reason: 'fee-not-covered', expiryMs: expect.any(Number) } });
});
