/** `keys recover-history --chain-stands-still` (H8). */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA, readGenesis } from '@slipstream/node-home';
import { createClock, createDisk, createRandom } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import type { Status } from '@slipstream/schema';
import { genesisHashOf } from '@slipstream/types';
import { openSignState, openWal } from '@slipstream/wal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { statusOf } from '../../../../packages/api/test/fake-node.ts';
import { startApi } from '../../../../packages/api/test/running-api.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

const UNREACHABLE = 'http://127.0.0.1:1';
const SIGNS = { state: 'signing' } as const;
const QUERIES = { state: 'querying', unanswered: [] } as const;
const REFUSES = { state: 'refused', upToView: 65, reason: 'wal-lost', recovering: false } as const;

let folder: string;
let apis: { stop(): Promise<void> }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-recover-'));
  apis = [];
  expect(await runCommandLine(['init', '--validators', '4', '--out', 'chain'], capturedTerminal(folder))).toBe(0);
});

afterEach(async () => {
  await Promise.all(apis.map((api) => api.stop()));
  await rm(folder, { recursive: true });
});

const home = () => join(folder, 'chain/validator-2');

async function opened() {
  const disk = createDisk({ root: join(home(), 'data') });
  const genesisHash = genesisHashOf(await readGenesis(join(home(), 'genesis.json')));
  const state = await openSignState({ disk }, { path: DATA.signState, genesisHash });
  return { disk, genesisHash, state };
}

/** Validator 2 signed up to view 10. */
async function signed(): Promise<void> {
  const { disk, genesisHash, state } = await opened();
  const { wal, report } = await openWal(
    { clock: createClock(), disk, random: createRandom(), telemetry: silentTelemetry },
    { directory: DATA.wal, genesisHash },
  );
  await state.mayTrust(report);
  await state.reserve({ view: 10, logSequence: 0 });
  await wal.close();
}

async function lostLog(): Promise<void> {
  await signed();
  await rm(join(home(), 'data', DATA.wal), { recursive: true });
}

/** URL of a node with this status. */
async function node(validator: number, view: number, signing: Status['signing']): Promise<string> {
  const known = statusOf(await readGenesis(join(home(), 'genesis.json')), view);
  const status = { ...known, signing, node: { ...known.node, validator } };
  const api = await startApi({ backend: { status: async () => status } });
  apis.push(api);
  return api.url;
}

async function recover(...urls: string[]) {
  const terminal = capturedTerminal(folder);
  const line = `keys recover-history --home chain/validator-2 --chain-stands-still --old-machine-is-stopped --url ${urls.join()}`;
  const code = await runCommandLine(line.split(' '), terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

test('queries all named nodes, and may nullify refused views up to 64 views above the highest', async () => {
  await lostLog();
  const urls = [await node(0, 30, SIGNS), await node(1, 31, SIGNS), await node(3, 31, REFUSES)];
  const { code, out } = await recover(...urls, UNREACHABLE);
  expect(code).toBe(0);
  expect(out).toContain(`no answer from ${UNREACHABLE}`);
  expect(out).toContain('the chain is in view 31; whole logs: validators 0, 1');
  expect(out).toContain('refusing to sign: validator 3');
  expect(out).toContain('up to view 95 this validator only joins nullifications');
  const { state } = await opened();
  expect(state.judge(undefined)).toMatchObject({ viewsUpTo: 95, nullifiesUpTo: 95, reason: 'wal-lost' });
});

test('changes nothing with whole logs of less than a third, and reports which nodes to name', async () => {
  await lostLog();
  const signState = () => readFile(join(home(), 'data', DATA.signState), 'utf8');
  const before = await signState();
  const first = await node(0, 30, SIGNS);
  const asked = await recover(first);
  expect(asked.code).toBe(1);
  expect(asked.err).toContain('name the nodes of validators 1, 3 with --url too');
  const querying = await recover(first, await node(1, 30, QUERIES), await node(3, 30, REFUSES));
  expect(querying.code).toBe(1);
  expect(querying.err).toContain('name the nodes of validator 1 with --url too, and start them until they sign');
  const over = await recover(first, await node(1, 30, REFUSES), await node(3, 30, REFUSES));
  expect(over.code).toBe(1);
  expect(over.err).toContain('this chain cannot continue');
  expect(await signState()).toBe(before);
});

test('leaves a folder with a whole log unchanged', async () => {
  await signed();
  const { code, err } = await recover(await node(0, 30, SIGNS), await node(1, 30, SIGNS));
  expect(code).not.toBe(0);
  expect(err).toContain('the write-ahead log of this validator is whole');
  expect((await opened()).state.mark).toBe(74);
});

test('recovers a validator whose data folder is missing', async () => {
  expect((await recover(await node(0, 30, SIGNS), await node(1, 31, SIGNS))).code).toBe(0);
  expect((await opened()).state.judge(undefined)).toMatchObject({ viewsUpTo: 95, nullifiesUpTo: 95 });
});
