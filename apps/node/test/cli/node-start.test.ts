import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePortRange } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

const START_MS_MAX = 60_000;
/** Enough for the first blocks. */
const SCRAPE_AFTER_MS = 4_000;
/** What a healthy chain of one without clients does not have. */
const NOT_ALONE: ReadonlySet<string> = new Set([
  'slipstream_account_balance',
  'slipstream_account_transactions_total',
  'slipstream_network_dial_failures_total',
  'slipstream_network_refused_total',
  'slipstream_network_unfinished_dropped_total',
  'slipstream_api_requests_total',
  'slipstream_api_request_ms',
  'slipstream_network_peer_round_trip_ms',
  'slipstream_consensus_peer_votes',
  'slipstream_dissemination_attestation_ms',
  'slipstream_dissemination_storage_acks_total',
]);
/** This chain has no account directory. */
const OF_BROKERS = 'slipstream_broker_';
let folder: string;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-cli-'));
  port = await freePortRange(2);
  const line = `init --validators 1 --out chain --network-port ${port} --api-port ${port + 1}`;
  expect(await runCommandLine(line.split(' '), capturedTerminal(folder))).toBe(0);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

type Signal = (name: string) => void;

/** Runs the node until it ends, or until its log has a line with these words and `meanwhile` is done. */
async function runUntil(words: string, meanwhile = async () => {}, stop = (signal: Signal) => signal('SIGTERM')) {
  const terminal = capturedTerminal(folder);
  const exits: number[] = [];
  let signal: Signal = () => {};
  const code = await runCommandLine(['node', '--home', 'chain/validator-0'], {
    ...terminal,
    err(text, done) {
      terminal.err(text, done);
      if (text.includes(words)) void meanwhile().finally(() => stop(signal));
    },
    onSignals(onSignal) {
      signal = onSignal;
      return () => {};
    },
    exit: ((exitCode) => void exits.push(exitCode)) as typeof terminal.exit,
  });
  return { code, exits, lines: terminal.errLines };
}

async function listening(at: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(at, '127.0.0.1', done));
  return server;
}

test('a network port in use ends the start, with a message for the operator', { timeout: START_MS_MAX }, async () => {
  const other = await listening(port);
  const { code, lines } = await runUntil('node is up');
  other.close();
  expect(code).toBe(1);
  const where = `cannot listen on 127.0.0.1:${port}`;
  expect(lines.at(-1)).toBe(
    `slipstream: ${where}: the port is in use: stop what uses it, or set network.listen to another`,
  );
});

test('a started node prints its addresses, chain, role and version', { timeout: START_MS_MAX }, async () => {
  const { code, lines } = await runUntil('node is up');
  expect(code, lines.join('\n')).toBe(0);
  const up = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'node is up');
  expect(up).toMatchObject({ chain: 'slipstream', role: 'validator 0', preset: 'local', development: false });
  expect(up).toMatchObject({ version: expect.any(String), runtime: process.version, pid: process.pid });
  expect(up.genesis).toMatch(/^0x[0-9a-f]{64}$/);
  expect(up.network).toEqual([expect.stringContaining(`/ip4/127.0.0.1/tcp/${port}`)]);
});

test('the metrics of the operators guide exist before any fault', { timeout: START_MS_MAX }, async () => {
  let scraped = '';
  await runUntil('node is up', async () => {
    await sleep(SCRAPE_AFTER_MS);
    scraped = await (await fetch(`http://127.0.0.1:${port + 1}/metrics`)).text();
  });
  const guide = await readFile(join(import.meta.dirname, '../../../../docs/operators/metrics.md'), 'utf8');
  const named = [...new Set(guide.match(/`slipstream_[a-z_]+`/g)?.map((name) => name.slice(1, -1)))];
  expect(named.length).toBeGreaterThan(20);
  const missing = named.filter((name) => !new RegExp(`^# TYPE ${name} `, 'm').test(scraped));
  expect(missing.filter((name) => !NOT_ALONE.has(name) && !name.startsWith(OF_BROKERS))).toEqual([]);
});

test('a second signal stops the node at once', { timeout: START_MS_MAX }, async () => {
  const { exits } = await runUntil('node is up', undefined, (signal) => {
    signal('SIGINT');
    signal('SIGINT');
  });
  expect(exits).toEqual([130]);
});
