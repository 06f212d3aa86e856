/** Applications over REST: manifests, entries, pages, queries, calls by name, events. */
import { to0x } from '@slipstream/primitives';
import type { EventPageJson, TableEntries, TableEntry, TransactionView } from '@slipstream/schema';
import {
  asId,
  type BlockId,
  eventOutput,
  failureOutput,
  height,
  type Receipt,
  type TransactionId,
} from '@slipstream/types';
import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTransaction, keyPairFrom, signTransaction } from '../../client/src/index.ts';
import { genesis } from '../../client/test/real-chain.ts';
import { builtApplication, exampleSource } from '../../execution/test/application-builders.ts';
import { storedGenesis } from '../../execution/test/application-state.ts';
import { transactionToJson } from '../../schema/src/index.ts';
import { genesisHashOf } from '../../types/src/index.ts';
import type { ApplicationReads, QueryOutcome, TransactionRecord } from '../src/index.ts';
import { expectAnswer, expectProblem } from './answers.ts';
import { type RunningApi, runApi, startApi } from './running-api.ts';
import { storedReads } from './stored-reads.ts';

const questions = await builtApplication(new URL('../../execution/test/applications/questions.ts', import.meta.url));
const token = await builtApplication(exampleSource('token'));
const stored = storedGenesis(questions, { count: 300 });
const start = { ...genesis, applications: [questions.inGenesis({ count: 300 }), token.inGenesis({ holders: [] })] };
const AT = height(9);
const sender = keyPairFrom(new Uint8Array(32).fill(9));
const to = `0x01${'5a'.repeat(32)}`;

/** 70 of one block, one a receipt. */
const transferred = Array.from({ length: 70 }, (_, index) => ({
  application: 1,
  event: 0,
  body: Uint8Array.from([...new Uint8Array(66).fill(1), index, 0, 0, 0, 0, 0, 0, 0]),
  height: height(8),
  index,
  position: 2,
  blockId: asId<BlockId>(new Uint8Array(32).fill(4)),
  transactionId: asId<TransactionId>(new Uint8Array(32).fill(index)),
}));

const reads: ApplicationReads = {
  ...storedReads(stored, [[questions, token]], { genesisHash: genesisHashOf(genesis), height: AT }),
  async events({ application, event, from, limit }) {
    if (from !== undefined && from.height < 5) return undefined;
    const all = application === 1 && event !== 1 ? transferred : [];
    const events = all.filter(({ index }) => index >= (from?.index ?? 0)).slice(0, limit);
    const last = events.at(-1);
    const next = { height: 8, index: (last?.index ?? 90) + 1, position: 0 };
    return { events, next, more: all.at(-1) !== last && last !== undefined, height: AT };
  },
};

let api: RunningApi;
beforeAll(async () => {
  api = await runApi({ backend: { genesis: start, applications: reads } });
});
afterAll(async () => {
  await api.stop();
  expect(api.faults).toEqual([]);
});

const get = (path: string) => fetch(`${api.url}${path}`);
const post = (path: string, body: unknown) =>
  fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const QUESTIONS = '/v1/applications/questions';

describe('the OpenAPI document of an application', () => {
  const documentOf = async (name: string) =>
    (await expectAnswer('applicationOpenapi', await get(`/v1/applications/${name}/openapi.json`))) as {
      readonly paths: Readonly<Record<string, object>>;
      readonly components: { readonly schemas: Readonly<Record<string, object>> };
    };

  it('has an operation of its own name for each route, and each reference resolves', async () => {
    for (const name of ['token', 'questions']) {
      const document = await documentOf(name);
      const operations = Object.values(document.paths).flatMap(
        (path) => Object.values(path) as { operationId: string }[],
      );
      expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
      expect(document).toMatchObject({ openapi: '3.1.0', info: { title: name } });
      expect(Object.keys(document.paths).join()).not.toContain('{');
      const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
      for (const [, title] of references) expect(document.components.schemas).toHaveProperty(title as string);
    }
  });

  it('has a route for each query and table, and schemas of each call and event', async () => {
    const { paths, components } = await documentOf('token');
    const own = '/v1/applications/token';
    for (const { name } of token.manifest.queries) expect(paths).toHaveProperty([`${own}/queries/${name}`]);
    for (const { name } of token.manifest.tables) expect(paths).toHaveProperty([`${own}/tables/${name}`]);
    for (const { name } of token.manifest.actions) expect(components.schemas).toHaveProperty(`${name}Call`);
    for (const { name } of token.manifest.events) expect(components.schemas).toHaveProperty(`${name}Event`);
    expect(Object.keys((await documentOf('questions')).paths)).toContain(
      '/v1/applications/questions/tables/ranked/entries',
    );
  });

  it('describes what the node answers, and takes', async () => {
    const { paths, components } = await documentOf('token');
    const transfer = { kind: 'call', application: 'token', name: 'transfer', fields: { to, value: '5' } };
    const check = (schema: object, value: unknown) => Compile({ ...schema, components } as never).Check(value);
    expect(check(components.schemas.transferCall as object, transfer)).toBe(true);
    expect(check(components.schemas.transferCall as object, { ...transfer, fields: { to } })).toBe(false);
    const page = (await (await get('/v1/applications/token/events')).json()) as EventPageJson;
    expect(check(components.schemas.TransferredEvent as object, page.items[0])).toBe(true);
    expect(paths).toHaveProperty(['/v1/transactions']);
    await expectProblem(await get('/v1/applications/none/openapi.json'), 404, 'application-unknown');
  });
});

describe('manifests and artifacts', () => {
  it('name all applications, and one', async () => {
    const all = await expectAnswer('applications', await get('/v1/applications'));
    expect(all).toMatchObject({
      applications: [
        { name: 'questions', number: 0 },
        { name: 'token', number: 1 },
      ],
    });
    const one = await expectAnswer('application', await get(QUESTIONS));
    expect(one).toMatchObject({ hash: to0x(start.applications[0]?.hash as Uint8Array), manifest: questions.manifest });
    await expectProblem(await get('/v1/applications/none'), 404, 'application-unknown');
    await expectProblem(await get('/v1/applications/NONE'), 400, 'bad-parameter');
  });

  it('the artifact has the hash of genesis', async () => {
    const answer = await get(`${QUESTIONS}/artifact`);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(questions.artifact);
  });
});

describe('entries', () => {
  const entry = async (path: string) =>
    (await expectAnswer('tableEntry', await get(`${QUESTIONS}${path}`))) as TableEntry;

  it('are read by key: present, absent with and without an empty value, and of a cell', async () => {
    expect(await entry('/tables/squares?key=12')).toMatchObject({
      key: 12,
      value: 144,
      exists: true,
      version: 1,
      height: AT,
    });
    expect(await entry('/tables/squares?key=300')).toMatchObject({ key: 300, value: 0, exists: false });
    expect(await entry('/tables/ranked?key=300')).toMatchObject({ value: null, exists: false });
    expect(await entry('/tables/size')).toMatchObject({ key: [], value: 300, exists: true });
  });

  it('with a key of several parts as JSON, and accounts as they are', async () => {
    const tables = '/v1/applications/token/tables';
    const allowance = await get(`${tables}/allowances?key=${encodeURIComponent(JSON.stringify([to, to]))}`);
    expect(await expectAnswer('tableEntry', allowance)).toMatchObject({ key: [to, to], value: '0' });
    expect(await expectAnswer('tableEntry', await get(`${tables}/balances?key=${to}`))).toMatchObject({ value: '0' });
  });

  it('come with a proof of their key', async () => {
    const found = await entry('/tables/squares?key=12&proof=true');
    expect(found.proof?.entries[0]?.key).toBe(found.stateKey);
  });

  it.each([
    ['/tables/none?key=1', 404, 'table-unknown'],
    ['/tables/toString?key=1', 404, 'table-unknown'],
    ['/tables/squares', 400, 'bad-parameter'],
    ['/tables/squares?key=-1', 400, 'bad-parameter'],
    ['/tables/squares?key=4294967296', 400, 'bad-parameter'],
    [`/tables/squares?key=${'1'.repeat(3_000)}`, 400, 'bad-parameter'],
    ['/tables/size?key=1', 400, 'bad-parameter'],
    ['/tables/squares/entries', 409, 'table-not-sorted'],
    ['/tables/none/entries', 404, 'table-unknown'],
    ['/tables/ranked/entries?cursor=0x00000000', 400, 'bad-parameter'],
    ['/tables/ranked/entries?cursor=0x01', 400, 'bad-parameter'],
    ['/tables/ranked/entries?limit=101', 400, 'bad-parameter'],
  ] as const)('%s answers %i %s', async (path, status, code) => {
    await expectProblem(await get(`${QUESTIONS}${path}`), status, code);
  });

  it('of a key with several parts need JSON', async () => {
    for (const key of [to, '[', '[1,2]', JSON.stringify([to])])
      await expectProblem(
        await get(`/v1/applications/token/tables/allowances?key=${encodeURIComponent(key)}`),
        400,
        'bad-parameter',
      );
  });

  it('of a sorted table come in pages, in both directions, each once', async () => {
    for (const reverse of [false, true]) {
      const seen: unknown[] = [];
      let cursor = '';
      for (let pages = 0; pages < 4; pages++) {
        const path = `${QUESTIONS}/tables/ranked/entries?limit=80&reverse=${reverse}${cursor}`;
        const page = (await expectAnswer('tableEntries', await get(path))) as TableEntries;
        seen.push(...page.items.map(({ key }) => key));
        cursor = `&cursor=${page.next}`;
        expect(page.next === null).toBe(pages === 3);
      }
      const all = Array.from({ length: 300 }, (_, i) => i);
      expect(seen).toEqual(reverse ? all.reverse() : all);
    }
  });
});

describe('queries', () => {
  it('answer from the state', async () => {
    const answer = await expectAnswer('applicationQuery', await post(`${QUESTIONS}/queries/sum`, { from: 1, to: 4 }));
    expect(answer).toEqual({ output: 14, height: AT });
  });

  it.each([
    ['none', {}, 404, 'query-unknown'],
    ['toString', {}, 404, 'query-unknown'],
    ['sum', { from: 1 }, 400, 'malformed-body'],
    ['sum', { from: 1, to: 'x' }, 400, 'malformed-body'],
    ['sum', { from: 1, to: 2, more: 3 }, 400, 'malformed-body'],
    ['sum', [], 400, 'malformed-body'],
    ['sum', '{', 400, 'malformed-json'],
    ['sum', { from: 0, to: 5_000 }, 422, 'query-too-large'],
    ['spin', {}, 422, 'query-too-large'],
    ['refuse', {}, 422, 'query-failed'],
    ['crash', {}, 422, 'query-failed'],
    ['write', {}, 422, 'query-too-large'],
  ])('%s with %j answers %i %s', async (name, input, status, code) => {
    await expectProblem(await post(`${QUESTIONS}/queries/${name}`, input), status, code);
  });

  it('have an input of at most 64 KiB', async () => {
    await expectProblem(await post(`${QUESTIONS}/queries/sum`, { from: '1'.repeat(70_000) }), 413, 'too-large');
  });

  it('name the field that is wrong', async () => {
    const wrong = await expectProblem(
      await post(`${QUESTIONS}/queries/sum`, { from: 1, to: 'x' }),
      400,
      'malformed-body',
    );
    expect(wrong).toMatchObject({ faults: [{ path: '/to' }] });
  });

  it('are refused for now when too many wait', async () => {
    const query = async (): Promise<QueryOutcome> => ({ type: 'overloaded', retryAfterMs: 5 });
    const busy = await startApi({ backend: { genesis: start, applications: { ...reads, query } } });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${busy.url}${QUESTIONS}/queries/till`, { method: 'POST', headers, body: '{}' });
    expect(await expectProblem(answer, 503, 'overloaded')).toMatchObject({ retryAfterMs: 5 });
  });
});

describe('calls and events', () => {
  const genesisHash = genesisHashOf(genesis);
  const call = token.call('transfer', { to, value: '5' });
  const signed = signTransaction(
    buildTransaction({ genesisHash, sender: sender.account, expiryMs: 1_900_000_000_000, actions: [call] }),
    sender,
  );
  const json = transactionToJson(signed.transaction);
  const named = { kind: 'call', application: 'token', name: 'transfer', fields: { to, value: '5' } };
  const withAction = (action: unknown) => ({ ...json, actions: [action] });

  it('a call is shown with its name and fields, and its bytes', async () => {
    await post('/v1/transactions', json);
    const view = (await expectAnswer('transaction', await get(`/v1/transactions/${signed.id}`))) as TransactionView;
    expect(view.transaction?.actions).toEqual([{ ...json.actions[0], name: 'transfer', fields: { to, value: '5' } }]);
  });

  it('a call may be submitted by name, in bytes, and as it is shown: all are the same transaction', async () => {
    for (const action of [named, json.actions[0], { ...json.actions[0], ...named }])
      expect(
        await expectAnswer('submitTransaction', await post('/v1/transactions', withAction(action)), 202),
      ).toMatchObject({
        id: signed.id,
      });
  });

  it.each([
    ['an unknown application', { ...named, application: 'none' }],
    ['an unknown action', { ...named, name: 'none' }],
    ['wrong fields', { ...named, fields: { to, value: -5 } }],
    ['other fields than its bytes', { ...json.actions[0], ...named, fields: { to, value: '6' } }],
  ])('by name with %s it is refused', async (_, action) => {
    const problem = await expectProblem(await post('/v1/transactions', withAction(action)), 400, 'malformed-body');
    expect(problem).toMatchObject({ faults: [{ path: '/actions/0' }] });
  });

  function recordOf(output: Uint8Array, outcome: Receipt['outcome']): TransactionRecord {
    const id = asId<TransactionId>(new Uint8Array(32).fill(3));
    const receipt: Receipt = {
      transactionId: id,
      outcome,
      output,
      fee: 0n,
      units: [0, 0, 0, 0, 0],
      height: AT,
      index: 0,
    };
    return { id, status: 'final', height: AT, receipt };
  }

  async function viewOf(record: TransactionRecord): Promise<TransactionView> {
    const transaction = async () => ({ type: 'found', value: record }) as const;
    const proof = async () => ({ type: 'not-ready' }) as const;
    const own = await startApi({ backend: { genesis: start, applications: reads, transaction, proof } });
    const answer = await fetch(`${own.url}/v1/transactions/0x${'03'.repeat(32)}`);
    return (await expectAnswer('transaction', answer)) as TransactionView;
  }

  it('events of a receipt are shown with names and fields, those that no manifest reads as bytes', async () => {
    const body = Uint8Array.from([...new Uint8Array(66).fill(1), 7, 0, 0, 0, 0, 0, 0, 0]);
    const outputs = [
      eventOutput({ application: 1, event: 0, body }),
      eventOutput({ application: 1, event: 0, body: new Uint8Array(2) }),
      eventOutput({ application: 7, event: 1, body: new Uint8Array(1) }),
    ];
    const view = await viewOf(recordOf(Uint8Array.from(outputs.flatMap((each) => [...each])), { status: 'success' }));
    const account = `0x${'01'.repeat(33)}`;
    expect(view.events).toEqual([
      {
        application: 'token',
        event: 0,
        body: to0x(body),
        name: 'Transferred',
        fields: { from: account, to: account, value: '7' },
      },
      { application: 'token', event: 0, body: '0x0000', name: 'Transferred' },
      { application: '7', event: 1, body: '0x00' },
    ]);
  });

  it('events come in pages, with their places, names and fields', async () => {
    const EVENTS = '/v1/applications/token/events';
    const first = await expectAnswer('applicationEvents', await get(`${EVENTS}?limit=40`));
    const account = `0x${'01'.repeat(33)}`;
    expect(first).toMatchObject({ next: '8-40-0', more: true, height: AT });
    expect((first as EventPageJson).items[3]).toEqual({
      application: 'token',
      event: 0,
      name: 'Transferred',
      body: to0x(transferred[3]?.body ?? new Uint8Array(0)),
      fields: { from: account, to: account, value: '3' },
      height: 8,
      blockId: `0x${'04'.repeat(32)}`,
      transactionId: `0x${'03'.repeat(32)}`,
      index: 3,
      position: 2,
      cursor: '8-3-3',
    });
    const second = await expectAnswer(
      'applicationEvents',
      await get(`${EVENTS}?after=8-40-0&name=Transferred&limit=40`),
    );
    expect((second as EventPageJson).items).toHaveLength(30);
    expect(second).toMatchObject({ more: false });
    const others = await expectAnswer('applicationEvents', await get(`${EVENTS}?name=Approved`));
    expect((others as EventPageJson).items).toEqual([]);
  });

  it('events of pruned blocks, unknown names and wrong cursors are each their own problem', async () => {
    const EVENTS = '/v1/applications/token/events';
    await expectProblem(await get(`${EVENTS}?after=4-0-0`), 410, 'pruned');
    await expectProblem(await get(`${EVENTS}?name=Nothing`), 404, 'event-unknown');
    for (const query of ['after=4', 'after=-1-0-0', 'after=1-2-3-4', 'name=', 'limit=0', 'limit=101', 'before=1-0-0'])
      await expectProblem(await get(`${EVENTS}?${query}`), 400, 'bad-parameter');
    await expectProblem(await get('/v1/applications/none/events'), 404, 'application-unknown');
  });

  it("the code of an application's failure is shown", async () => {
    const outcome = { status: 'failed', code: 'application-failed', action: 0 } as const;
    expect(await viewOf(recordOf(failureOutput('insufficient-balance'), outcome))).toMatchObject({
      failure: 'insufficient-balance',
    });
  });
});
