/** Transfers through honest brokers: results, sequences, loss of a broker, gateways. */
import { afterEach, expect, test } from 'vitest';
import { closeAll, createWorld, keysOf, ME, until } from './world.ts';

afterEach(closeAll);

test('a transfer ends with its outcome and proof, and the broker got a good share and a straggler signature', async () => {
  const { distillery, brokers, ledger } = createWorld();
  const result = await distillery.transfer({ to: 7, amount: 12n, tag: 3 });
  expect(result).toMatchObject({ status: 'success', sender: ME, sequence: 1, height: 11, fee: 20n, proof: 'proven' });
  expect(ledger.proofs.has(result.rowId)).toBe(true);
  expect(ledger.ran.get(`${ME}/1`)).toEqual({ sender: ME, recipient: 7, amount: 12n, sequence: 1, tag: 3 });
  expect(brokers[0]?.shares).toMatchObject([{ isGood: true, without: [] }]);
  expect(brokers[0]?.rowMessages[0]?.stragglers).toHaveLength(1);
});

test('without straggler signatures none is sent', async () => {
  const { distillery, brokers } = createWorld([{}], { stragglers: false });
  await distillery.transfer({ to: 7, amount: 1n });
  expect(brokers[0]?.rowMessages[0]?.stragglers).toEqual([]);
});

test('a broker that shows columns gets the same share', async () => {
  const { distillery, brokers } = createWorld([{ form: 'columns' }]);
  await distillery.transfer({ to: 7, amount: 1n });
  expect(brokers[0]?.shares).toMatchObject([{ isGood: true }]);
});

test('two hundred transfers at once run once each, with at most 64 in flight', async () => {
  const { distillery, brokers, ledger } = createWorld();
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, i) => distillery.transfer({ to: 7, amount: BigInt(i) })),
  );
  expect(new Set(results.map(({ sequence }) => sequence)).size).toBe(200);
  expect(ledger.ran.size - 2 * (brokers[0]?.shares.length ?? 0)).toBe(200);
  for (const { rows } of brokers[0]?.rowMessages ?? []) expect(rows.count).toBeLessThanOrEqual(64);
});

test('a sequence begins where the broker says that it is fresh', async () => {
  const { distillery } = createWorld([{ next: 77 }]);
  expect(await distillery.transfer({ to: 7, amount: 1n })).toMatchObject({ sequence: 77 });
});

test.each(['paths', 'columns'] as const)('a gateway signs for many accounts with one share, from %s', async (form) => {
  const senders = Array.from({ length: 40 }, (_, i) => 100 + 3 * i);
  const { distillery, brokers } = createWorld([{ form }], {}, senders.map(keysOf));
  expect(await distillery.ready()).toEqual(senders);
  const results = await Promise.all(
    senders.flatMap((from) => [1n, 2n].map((amount) => distillery.transfer({ from, to: 7, amount }))),
  );
  expect(results.every(({ status }) => status === 'success')).toBe(true);
  expect(brokers[0]?.logins).toEqual([40]);
  expect(brokers[0]?.shares.every(({ isGood }) => isGood)).toBe(true);
  expect(brokers[0]?.shares.length).toBeLessThan(10);
});

test('a broker that dies loses no transfer: the same rows go to the next one, and run once', async () => {
  const { distillery, brokers, ledger, lost } = createWorld([{ lies: { hidesOutcomes: true } }, {}]);
  const transfers = Array.from({ length: 10 }, (_, i) => distillery.transfer({ to: 7, amount: BigInt(i) }));
  await until(() => ledger.ran.size >= 10);
  brokers[0]?.kill();
  const results = await Promise.all(transfers);
  expect(results.map(({ status, sequence }) => [status, sequence])).toEqual(
    Array.from({ length: 10 }, (_, i) => ['success', i + 1]),
  );
  expect(lost()[0]).toMatch(/^unreachable/);
  expect([...ledger.ran.keys()].filter((name) => name.startsWith(`${ME}/`))).toHaveLength(10);
  expect(brokers[1]?.rowMessages[0]?.rows.sequences).toEqual(brokers[0]?.rowMessages[0]?.rows.sequences);
});

test('a connection that breaks is made again, and what was in flight is sent again', async () => {
  const { distillery, brokers } = createWorld([{}]);
  const first = distillery.transfer({ to: 7, amount: 1n });
  await until(() => (brokers[0]?.rowMessages.length ?? 0) > 0);
  brokers[0]?.cut();
  expect(await first).toMatchObject({ status: 'success', sequence: 1 });
  expect(brokers[0]?.logins).toHaveLength(2);
});

test('close() ends what runs, later calls, and itself again', async () => {
  const { distillery } = createWorld([{ lies: { onRows: () => {} } }]);
  const running = distillery.transfer({ to: 7, amount: 1n });
  await distillery.ready();
  distillery.close();
  distillery.close();
  const closed = expect.objectContaining({ code: 'closed' });
  await expect(running).rejects.toEqual(closed);
  await expect(distillery.transfer({ to: 7, amount: 1n })).rejects.toEqual(closed);
});

test('no more transfers wait than the bound', async () => {
  const { distillery } = createWorld([{ lies: { onRows: () => {} } }], { transfersMax: 3 });
  const waiting = Array.from({ length: 3 }, () => distillery.transfer({ to: 7, amount: 1n }).catch(() => {}));
  await expect(distillery.transfer({ to: 7, amount: 1n })).rejects.toMatchObject({ code: 'queue-full' });
  distillery.close();
  await Promise.all(waiting);
});

test('a caller ends its transfer', async () => {
  const { distillery } = createWorld([{ lies: { onRows: () => {} } }]);
  const ending = new AbortController();
  const running = distillery.transfer({ to: 7, amount: 1n, signal: ending.signal });
  await distillery.ready();
  ending.abort();
  await expect(running).rejects.toMatchObject({ code: 'aborted' });
});

test('what no row can hold is refused at once', async () => {
  const { distillery } = createWorld([{}], {}, [keysOf(3), keysOf(4)]);
  const bad = { code: 'bad-argument' };
  await expect(distillery.transfer({ from: 3, to: 7, amount: -1n })).rejects.toMatchObject(bad);
  await expect(distillery.transfer({ from: 3, to: 7, amount: 1n << 64n })).rejects.toMatchObject(bad);
  await expect(distillery.transfer({ from: 3, to: 7, amount: 1n, tag: -1 })).rejects.toMatchObject(bad);
  await expect(distillery.transfer({ to: 7, amount: 1n })).rejects.toMatchObject(bad);
  await expect(distillery.transfer({ from: 5, to: 7, amount: 1n })).rejects.toMatchObject(bad);
  await expect(distillery.transfer({ from: 3, to: -7, amount: 1n })).rejects.toMatchObject(bad);
});
