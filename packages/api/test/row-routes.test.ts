/** Routes of rows and distilled batches, and the SDK on them, against a node that may lie. */
import { certifiedRowProofCodec } from '@slipstream/distilled';
import { to0x } from '@slipstream/primitives';
import { genesisToJson } from '@slipstream/types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient, verifyRowProof } from '../../client/src/index.ts';
import { AT, batchId, idOf, proofOf, rows } from '../../client/test/certified-rows.ts';
import { genesis } from '../../client/test/real-chain.ts';
import { expectAnswer, expectProblem } from './answers.ts';
import { fakeRowProof } from './fake-batches.ts';
import { type RunningApi, runApi, startApi } from './running-api.ts';

const BATCH = to0x(batchId);
const ID = `0x${'ab'.repeat(32)}`;
const chain = genesisToJson(genesis);

let api: RunningApi;
let client: Client;
beforeAll(async () => {
  api = await runApi();
  client = createClient({ url: api.url });
});
afterAll(async () => {
  await api.stop();
  expect(api.faults).toEqual([]);
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${api.url}${path}`, { headers });

it('a row is answered by the routes of transactions, with its outcome by name', async () => {
  const row = await expectAnswer('transaction', await get(`/v1/transactions/${idOf(3)}`));
  expect(row).toMatchObject({
    id: idOf(3),
    status: 'failed',
    height: AT,
    row: { batchId: BATCH, position: 3, outcome: { status: 'failed', code: 'insufficient-balance' }, fee: '20' },
  });
  expect(row).not.toHaveProperty('receipt');
  const skipped = await expectAnswer('transaction', await get(`/v1/transactions/${idOf(4)}?wait=final`));
  expect(skipped).toMatchObject({ status: 'skipped', row: { outcome: { reason: 'sequence-used' }, fee: '0' } });
});

it('the proof of a row is JSON or bytes, with handovers on request', async () => {
  const path = `/v1/transactions/${idOf(37)}/proof`;
  const proof = await expectAnswer('transactionProof', await get(path));
  expect(verifyRowProof(proof, chain, idOf(37))).toMatchObject({ ok: true, value: { position: 37 } });
  const bytes = await (await get(path, { accept: 'application/octet-stream' })).arrayBuffer();
  expect(certifiedRowProofCodec.decode(new Uint8Array(bytes))).toEqual({ ok: true, value: proofOf(37) });
  expect(bytes.byteLength).toBeLessThan(2_000);
  expect(await expectAnswer('transactionProof', await get(`${path}?epochsFrom=0`))).toMatchObject({ epochs: [] });
});

it('unknown rows and positions beyond the batch are 404, malformed ids 400', async () => {
  for (const id of [ID, idOf(rows.length), BATCH]) {
    await expectProblem(await get(`/v1/transactions/${id}`), 404, 'transaction-unknown');
    await expectProblem(await get(`/v1/transactions/${id}/proof`), 404, 'transaction-unknown');
  }
  await expectProblem(await get(`/v1/batches/${ID}`), 404, 'batch-unknown');
  await expectProblem(await get(`/v1/batches/${ID}/rows`), 404, 'batch-unknown');
  await expectProblem(await get(`/v1/blocks/${ID}/batches`), 404, 'block-unknown');
  for (const path of ['/v1/transactions/0x12', '/v1/batches/7', `/v1/batches/${BATCH}/rows?cursor=x`]) {
    await expectProblem(await get(path), 400, 'bad-parameter');
  }
});

it('batches and rows are listed in pages, of a hundred at most', async () => {
  await expectAnswer('blockBatches', await get('/v1/blocks/latest/batches'));
  expect(await client.batch(BATCH)).toMatchObject({ rows: rows.length, charged: 99, failed: 1, skipped: 1 });
  const first = await client.batchRows(BATCH, { limit: 60 });
  expect(first.items).toHaveLength(60);
  const rest = await client.batchRows(BATCH, { limit: 60, cursor: first.next ?? '' });
  expect(rest).toMatchObject({ items: { length: 40 }, next: null, malformed: [] });
  expect(rest.items[0]).toMatchObject({ id: idOf(60), position: 60, senderIndex: 60 });
  await expectProblem(await get(`/v1/batches/${BATCH}/rows?limit=101`), 400, 'bad-parameter');
});

it('the SDK gives no proof of a transaction for a row, nor of another row', async () => {
  expect(verifyRowProof(await client.rowProof(idOf(5)), chain, idOf(5))).toMatchObject({ ok: true });
  await expect(client.proof(idOf(5))).rejects.toMatchObject({ code: 'malformed-answer' });
  const lying = await startApi({ backend: { proof: async () => ({ type: 'row', value: fakeRowProof(6) }) } });
  const asked = createClient({ url: lying.url }).rowProof(idOf(5));
  await expect(asked).rejects.toMatchObject({ code: 'malformed-answer' });
});

it('a node that lies about an outcome, an amount or a chain is found out by the proof', async () => {
  const honest = fakeRowProof(37);
  const lies = [
    { ...honest, outcome: { status: 'failed', code: 'insufficient-balance' } },
    { ...honest, row: { ...honest.row, amount: 1n } },
    { ...honest, leaf: { ...honest.leaf, rowFee: 1n } },
    { ...honest, proof: { ...honest.proof, proof: fakeRowProof(90).proof.proof } },
  ] as const;
  for (const value of lies) {
    const lying = await startApi({ backend: { proof: async () => ({ type: 'row', value }) } });
    const proof = await createClient({ url: lying.url }).rowProof(idOf(37));
    expect(verifyRowProof(proof, chain, idOf(37))).toMatchObject({ ok: false });
  }
  const other = genesisToJson({ ...genesis, chain: 'another' });
  expect(verifyRowProof(await client.rowProof(idOf(37)), other, idOf(37))).toMatchObject({ ok: false });
});

it('a chunk that is gone is another answer than a row that is unknown', async () => {
  const pruned = { type: 'pruned', detail: 'the chunk is gone' } as const;
  const without = await startApi({ backend: { transaction: async () => pruned, proof: async () => pruned } });
  for (const path of ['', '/proof']) {
    await expectProblem(await fetch(`${without.url}/v1/transactions/${idOf(1)}${path}`), 410, 'pruned');
  }
});
