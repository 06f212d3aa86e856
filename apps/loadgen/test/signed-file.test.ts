import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { to0x } from '@slipstream/primitives';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSigning } from '../src/signing/sign-transfers.ts';
import { signedAt } from '../src/signing/signed-batch.ts';
import { readSignedFile, waitForStartMs, writeSignedFile } from '../src/signing/signed-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-signed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const genesisHash = new Uint8Array(32).fill(9);
const workload = { seed: 'file', accounts: 20, transactionBytes: 0 };
const sign = createSigning({ workload, genesisHash, accountsSeed: new Uint8Array(32), maxFee: 0n });
const head = { seed: 'file', genesisHash: to0x(genesisHash), transactionsPerSecond: 10, seconds: 3, startMs: 50_000 };

test('a file is read back with the same transactions, ids and expiries', async () => {
  const path = join(folder, 'good');
  const batches = [0, 1].map((block) => sign({ block, count: 15, expiryMs: 90_000, stepMs: 100 }));
  await writeSignedFile(path, head, batches);
  const read = await readSignedFile(path);
  expect(read.head).toEqual(head);
  const all = batches.flatMap((batch) => Array.from({ length: batch.count }, (_, index) => signedAt(batch, index)));
  expect(Array.from({ length: read.batch.count }, (_, index) => signedAt(read.batch, index))).toEqual(all);
});

test('a truncated or foreign file is rejected with the position of the fault', async () => {
  const path = join(folder, 'good-too');
  await writeSignedFile(path, head, [sign({ block: 0, count: 5, expiryMs: 90_000, stepMs: 0 })]);
  const bytes = await readFile(path);
  const cut = join(folder, 'cut');
  await writeFile(cut, bytes.subarray(0, -3));
  await expect(readSignedFile(cut)).rejects.toMatchObject({
    code: 'signed-file',
    message: expect.stringContaining('after 4 transactions'),
  });
  const other = join(folder, 'other');
  await writeFile(other, 'hello\n');
  await expect(readSignedFile(other)).rejects.toMatchObject({ code: 'signed-file' });
  await expect(readSignedFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'signed-file' });
});

test('a file is sent at its time, on its chain', () => {
  expect(waitForStartMs(head, genesisHash, 20_000)).toBe(30_000);
  expect(waitForStartMs(head, genesisHash, 55_000)).toBe(0);
  expect(() => waitForStartMs(head, genesisHash, 90_000)).toThrow('40 s ago');
  expect(() => waitForStartMs(head, new Uint8Array(32), 20_000)).toThrow('for the chain');
});
