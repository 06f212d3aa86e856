/** After an upgrade: manifests of the version in force, values of earlier versions, transactions of earlier epochs (applications.md, A15, A17). */
import { artifactHash } from '@slipstream/app-realm';
import { to0x } from '@slipstream/primitives';
import type { Applications, EventPageJson, TableEntry, TransactionView } from '@slipstream/schema';
import {
  accountKeyText,
  asId,
  type BlockId,
  eventOutput,
  genesisHashOf,
  height,
  type Receipt,
  type TransactionId,
} from '@slipstream/types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { genesis } from '../../client/test/real-chain.ts';
import { builtApplication, exampleSource } from '../../execution/test/application-builders.ts';
import { storedGenesis } from '../../execution/test/application-state.ts';
import { account } from '../../execution/test/builders.ts';
import type { BlockRecord, NodeBackend, TransactionRecord } from '../src/index.ts';
import { expectAnswer, expectProblem } from './answers.ts';
import { type RunningApi, runApi, startApi } from './running-api.ts';
import { storedReads } from './stored-reads.ts';

const applications = new URL('../../execution/test/applications/', import.meta.url);
const [first, second, questions] = await Promise.all([
  builtApplication(exampleSource('token')),
  builtApplication(new URL('token-2.ts', applications)),
  builtApplication(new URL('questions.ts', applications)),
]);
const [holder, unlucky] = [1, 2].map((number) => accountKeyText(account(number))) as [string, string];
const holders = [
  { owner: holder, value: '1000' },
  { owner: unlucky, value: '13' },
];
const stored = storedGenesis(first, { holders });
const start = { ...genesis, applications: [first.inGenesis({ holders })] };
const at = { genesisHash: genesisHashOf(start), height: height(20) };
const BOUNDARY = 10;

let api: RunningApi;
beforeAll(async () => {
  api = await runApi({
    backend: { genesis: start, epoch: () => 1, applications: storedReads(stored, [[first], [second]], at) },
  });
});
afterAll(async () => {
  await api.stop();
  expect(api.faults).toEqual([]);
});

const get = (path: string) => fetch(`${api.url}/v1/applications${path}`);
const entry = async (key: string) =>
  (await expectAnswer('tableEntry', await get(`/token/tables/balances?key=${key}`))) as TableEntry;

it('the manifest, its hash and the artifact are those of the version in force', async () => {
  const { applications: all } = (await expectAnswer('applications', await get(''))) as Applications;
  expect(all).toMatchObject([{ name: 'token', hash: to0x(artifactHash(second.artifact)), manifest: { version: 2 } }]);
  const artifact = await get('/token/artifact');
  expect(new Uint8Array(await artifact.arrayBuffer())).toEqual(second.artifact);
});

it('a value of version 1 is shown as version 2 reads it, with the version that wrote it', async () => {
  expect(await entry(holder)).toMatchObject({ value: { value: '1000', changes: 0 }, version: 1, exists: true });
  expect(await entry(accountKeyText(account(3)))).toMatchObject({ value: { value: '0', changes: 0 }, exists: false });
});

it('one that the application cannot convert is refused by name, and others are answered', async () => {
  const problem = await expectProblem(await get(`/token/tables/balances?key=${unlucky}`), 422, 'query-failed');
  expect(problem).toMatchObject({ detail: expect.stringContaining('balances') });
  expect(await entry(holder)).toMatchObject({ exists: true });
});

it('queries are those of version 2, and read values of version 1', async () => {
  const body = JSON.stringify({ owner: holder });
  const headers = { 'content-type': 'application/json' };
  const ask = (name: string) =>
    fetch(`${api.url}/v1/applications/token/queries/${name}`, { method: 'POST', headers, body });
  expect(await expectAnswer('applicationQuery', await ask('balance'))).toMatchObject({ output: '1000' });
  expect(await expectAnswer('applicationQuery', await ask('changes'))).toMatchObject({ output: 0 });
});

const body = Uint8Array.from([...new Uint8Array(66).fill(1), 7, 0, 0, 0, 0, 0, 0, 0]);
const id = asId<TransactionId>(new Uint8Array(32).fill(3));
const event = { application: 0, event: 0, body };
const backend: Partial<NodeBackend> = {
  genesis: start,
  epoch: () => 1,
  // The second manifest has no such event: what it names is of the first.
  applications: storedReads(stored, [[first], [questions]], at),
  proof: async () => ({ type: 'not-ready' }),
  async block(reference) {
    const found = await api.node.block({ type: 'latest' });
    if (found.type !== 'found' || reference.type !== 'height') return found;
    const epoch = (reference.height < BOUNDARY ? 0 : 1) as BlockRecord['block']['epoch'];
    return { type: 'found', value: { ...found.value, block: { ...found.value.block, epoch } } };
  },
};

it('events of a block are read with the manifest of its epoch', async () => {
  const shown = async (of: number) => {
    const receipt: Receipt = {
      transactionId: id,
      outcome: { status: 'success' },
      output: eventOutput(event),
      fee: 0n,
      units: [0, 0, 0, 0, 0],
      height: height(of),
      index: 0,
    };
    const value: TransactionRecord = { id, status: 'final', height: height(of), receipt };
    const own = await startApi({ backend: { ...backend, transaction: async () => ({ type: 'found', value }) } });
    const view = (await expectAnswer(
      'transaction',
      await fetch(`${own.url}/v1/transactions/${to0x(id)}`),
    )) as TransactionView;
    return view.events?.[0]?.application;
  };
  expect(await shown(BOUNDARY - 1)).toBe('token');
  expect(await shown(BOUNDARY)).toBe('questions');
});

it('events of a page are read with the manifests of the epochs of their blocks', async () => {
  const next = { height: BOUNDARY + 1, index: 0, position: 0 };
  const events = [BOUNDARY - 1, BOUNDARY].map((of) => ({
    ...event,
    height: height(of),
    index: 0,
    position: 0,
    blockId: asId<BlockId>(new Uint8Array(32)),
    transactionId: id,
  }));
  const reads = {
    ...storedReads(stored, [[first], [questions]], at),
    events: async () => ({ events, next, more: false, height: at.height }),
  };
  const own = await startApi({ backend: { ...backend, applications: reads } });
  const { items } = (await expectAnswer(
    'applicationEvents',
    await fetch(`${own.url}/v1/applications/questions/events`),
  )) as EventPageJson;
  expect(items.map(({ application, name }) => [application, name])).toEqual([
    ['token', 'Transferred'],
    ['questions', undefined],
  ]);
});
