import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@slipstream/client';
import { identityFromSeed } from '@slipstream/network';
import { DATA, readGenesis } from '@slipstream/node-home';
import { createClock, createDisk, createRandom } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { fromHex, to0x } from '@slipstream/primitives';
import type { Status } from '@slipstream/schema';
import { genesisHashOf } from '@slipstream/types';
import { openSignState, openWal } from '@slipstream/wal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { checkKeys } from '../../src/cli/doctor/folder.ts';
import { configOf } from '../../src/cli/places.ts';
import { runCommandLine } from '../../src/cli/run.ts';

let folder: string;
let home: string;
let apiPort: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-doctor-'));
  expect(await runCommandLine(['init', '--validators', '1', '--out', 'chain'], capturedTerminal(folder))).toBe(0);
  home = join(folder, 'chain', 'validator-0');
  await listenOn(0);
  apiPort = 0;
});

afterEach(() => rm(folder, { recursive: true }));

async function examined(...flags: string[]): Promise<{ readonly code: number; readonly findings: readonly Finding[] }> {
  const terminal = { ...capturedTerminal(folder), environment: { SLIPSTREAM_API_PORT: String(apiPort) } };
  const said: string[] = [];
  const code = await runCommandLine(['doctor', '--home', home, '--json', ...flags], {
    ...terminal,
    out: (text) => void said.push(text),
  });
  return { code, findings: (JSON.parse(said.join('')) as { findings: Finding[] }).findings };
}

const of = (findings: readonly Finding[], check: string) => findings.filter((finding) => finding.check === check);

async function listening(server: Server): Promise<number> {
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function listenOn(port: number): Promise<void> {
  await writeFile(
    join(home, 'config.yaml'),
    `name: one\nkeys:\n  bls: keys/bls.keystore.json\nnetwork:\n  listen: 127.0.0.1:${port}\n`,
  );
}

test('a folder made by init passes, and is reported as new', async () => {
  const { code, findings } = await examined();
  expect(findings.filter(({ level }) => level === 'fault')).toEqual([]);
  expect(code).toBe(0);
  expect(of(findings, 'identity')[0]?.found).toContain('validator 0 of 1');
  expect(of(findings, 'signing history')[0]).toMatchObject({ level: 'warning' });
});

test('a secret that others may read is a warning with the command that fixes it', async () => {
  const path = join(home, 'keys', 'peer.seed');
  await chmod(path, 0o644);
  const { findings } = await examined();
  const wide = of(findings, 'secret file').filter(({ level }) => level === 'warning');
  expect(wide).toHaveLength(1);
  expect(wide[0]?.remedy).toBe(`chmod 600 ${path}`);
});

test('a port that another program uses is a fault', async () => {
  const server = createServer();
  try {
    await listenOn(await listening(server));
    const { code, findings } = await examined();
    expect(code).toBe(1);
    expect(of(findings, 'network port')[0]).toMatchObject({ level: 'fault' });
  } finally {
    server.close();
  }
});

const STATUS: Omit<Status, 'genesisHash'> = {
  chain: 'slipstream',
  development: false,
  faucet: false,
  version: '0.1.0',
  uptimeMs: 1,
  headTimestampMs: 1,
  node: { peer: `0x${'02'.repeat(32)}`, name: 'one', role: 'validator', validator: 0 },
  epoch: 0,
  view: 1,
  height: 1,
  finalHeight: 1,
  certifiedHeight: 1,
  syncing: true,
  ready: false,
  signing: null,
  alerts: [],
  peers: { connected: 0, validators: 0, blocked: 0 },
  mempool: { transactions: 0, bytes: 0 },
};

test('an API port is the own node’s where that answers, though it holds no lock while it exchanges its parts', async () => {
  const genesisHash = to0x(genesisHashOf(await readGenesis(join(home, 'genesis.json'))));
  const seed = (await readFile(join(home, 'keys', 'peer.seed'), 'utf8')).trim();
  const own = `0x${identityFromSeed(fromHex(seed)).peer}`;
  let peer = own;
  const server = createHttpServer((_, answer) => {
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify({ ...STATUS, genesisHash, node: { ...STATUS.node, peer } }));
  });
  try {
    apiPort = await listening(server);
    expect(of((await examined()).findings, 'API port')[0]).toMatchObject({ level: 'ok' });
    peer = `0x${'02'.repeat(32)}`;
    expect(of((await examined()).findings, 'API port')[0]).toMatchObject({ level: 'fault' });
  } finally {
    server.close();
  }
});

test('a BLS key of no validator is a warning: the node may be a candidate', async () => {
  await runCommandLine(['init', '--validators', '1', '--out', 'other'], capturedTerminal(folder));
  await writeFile(join(home, 'genesis.json'), await readFile(join(folder, 'other', 'validator-0', 'genesis.json')));
  const { code, findings } = await examined();
  expect(code).toBe(0);
  expect(of(findings, 'keys')[0]).toMatchObject({ level: 'warning' });
  expect(of(findings, 'keys')[0]?.found).toContain('of no validator in epoch 0');
  expect(of(findings, 'disk space')).toHaveLength(1);
});

test('a validator’s folder without its voting key is a fault: the node only followed, and its chain stalled', async () => {
  await writeFile(join(home, 'config.yaml'), 'network:\n  listen: 127.0.0.1:0\n');
  const { code, findings } = await examined();
  expect(code).toBe(1);
  expect(of(findings, 'keys')[0]?.found).toContain(
    'is that of validator 0 in epoch 0, and this node has not its BLS key',
  );
});

test('a genesis that no chain can run with is a fault', async () => {
  const file = join(home, 'genesis.json');
  const genesis = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...genesis, fees: { ...genesis.fees, limits: ['1', '1', '1', '1', '1'] } }));
  const { code, findings } = await examined();
  expect(code).toBe(1);
  expect(of(findings, 'keys')[0]?.found).toContain('fees.limits[0]: is 1, a plain transfer takes');
});

test('a genesis from the future is a warning: no validator votes before its time', async () => {
  const file = join(home, 'genesis.json');
  const genesis = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...genesis, timestampMs: Date.now() + 3_600_000 }));
  const { findings } = await examined();
  const [warned] = of(findings, 'genesis').filter(({ level }) => level === 'warning');
  expect(warned?.found).toMatch(/^the chain begins at .*Z, 3[56]\d\d s from now by the clock of this machine/);
});

test('a validator that retains too little for joining nodes is a warning, with the needed amount', async () => {
  await appendFile(join(home, 'config.yaml'), 'retention:\n  blocks: 300\n');
  const [warned] = of((await examined()).findings, 'retention');
  expect(warned?.found).toContain('retention.blocks is 300: nodes that join need up to 1113 blocks with a snapshot');
  await appendFile(join(home, 'config.yaml'), 'sync:\n  snapshotEvery: 40\nconsensus:\n  minBlockIntervalMs: 1000\n');
  expect(of((await examined()).findings, 'retention')).toEqual([]);
});

test('a development option is a fault on another chain: it had no effect, or had the validator blocked', async () => {
  await appendFile(
    join(home, 'config.yaml'),
    'development:\n  faults: true\n  corruptSignatures: true\n  voteChecks: on-arrival\n',
  );
  const { code, findings } = await examined();
  expect(code).toBe(1);
  expect(of(findings, 'keys')[0]?.found).toBe(
    ['faults', 'corruptSignatures', 'voteChecks']
      .map((key) => `development.${key} is for development chains, and slipstream is none: leave it out`)
      .join('\n  '),
  );
});

test('a genesis file of another chain is reported as such, though its certificate shows the mismatch', async () => {
  await writeFile(join(home, 'config.yaml'), 'sessions:\n  committeeCertificate: committee.certificate\n');
  await runCommandLine(['init', '--validators', '1', '--out', 'other'], capturedTerminal(folder));
  await writeFile(join(home, 'genesis.json'), await readFile(join(folder, 'other', 'validator-0', 'genesis.json')));
  const { findings } = await examined();
  expect(of(findings, 'keys')[0]?.found).toContain("one of the two files is another chain's");
});

test('a damaged ledger is a fault and not a running node, and the other checks run all the same', async () => {
  const ledger = join(home, 'data', 'ledger');
  await mkdir(ledger, { recursive: true });
  await writeFile(join(ledger, 'CURRENT'), 'no manifest');
  const { code, findings } = await examined();
  expect(code).toBe(1);
  expect(of(findings, 'ledger')[0]).toMatchObject({ level: 'fault' });
  expect(of(findings, 'ledger')[0]?.found).toContain('CURRENT');
  expect(of(findings, 'disk space')).toHaveLength(1);
});

test('all faults of a configuration are reported', async () => {
  await writeFile(join(home, 'config.yaml'), 'api:\n  port: 99999\nlog:\n  level: loud\n');
  const { code, findings } = await examined();
  expect(code).toBe(1);
  expect(of(findings, 'configuration')[0]?.found).toContain('log.level');
});

test('conflicting times are reported before a start', async () => {
  await writeFile(join(home, 'config.yaml'), 'consensus:\n  leaderTimeoutMs: 10\n');
  const { code, findings } = await examined();
  expect(code).toBe(1);
  expect(of(findings, 'configuration')[0]?.found).toContain('leaderTimeoutMs (10) must be at least');
});

test('an unresponsive peer is named', async () => {
  const closed = createServer();
  const port = await listening(closed);
  await new Promise((done) => closed.close(done));
  await listenOn(0);
  await appendFile(join(home, 'config.yaml'), `  peers:\n    - "${'ab'.repeat(32)}@127.0.0.1:${port}"\n`);
  const { findings } = await examined();
  expect(of(findings, 'peers')[0]).toMatchObject({ level: 'warning' });
  expect(of(findings, 'peers')[0]?.found).toContain(`127.0.0.1:${port} (ECONNREFUSED)`);
});

test('full-node slots that are open to any peer are a warning until a full node is reserved', async () => {
  expect(of((await examined()).findings, 'full nodes')[0]).toMatchObject({ level: 'warning' });
  await appendFile(join(home, 'config.yaml'), `  reserved:\n    - "${'ab'.repeat(32)}"\n`);
  expect(of((await examined()).findings, 'full nodes')[0]).toMatchObject({ level: 'ok' });
});

test('a signing history that was exported, or is damaged, is a fault: the node would not start', async () => {
  const run = (line: string) => runCommandLine([...line.split(' '), '--home', home], capturedTerminal(folder));
  await mkdir(join(home, 'data'));
  expect(of((await examined()).findings, 'signing history')[0]).toMatchObject({ level: 'ok' });
  expect(await run(`keys export-history --out ${join(folder, 'history.json')}`)).toBe(0);
  const exported = await examined();
  expect(exported.code).toBe(1);
  expect(of(exported.findings, 'signing history')[0]).toMatchObject({ level: 'fault' });
  expect(of(exported.findings, 'signing history')[0]?.remedy).toContain('import-history');
  await writeFile(join(home, 'data', 'sign-state.json'), '{');
  expect(of((await examined()).findings, 'signing history')[0]?.found).toContain('is damaged');
});

test('a missing log or sign state in a folder where a node has run is never called healthy', async () => {
  const history = async () => of((await examined()).findings, 'signing history')[0];
  const data = join(home, 'data');
  const disk = createDisk({ root: data });
  const genesisHash = genesisHashOf(await readGenesis(join(home, 'genesis.json')));
  await mkdir(data);
  const state = await openSignState({ disk }, { path: DATA.signState, genesisHash });
  const log = await openWal(
    { clock: createClock(), disk, random: createRandom(), telemetry: silentTelemetry },
    { directory: DATA.wal, genesisHash, knownDurableSequence: 0 },
  );
  await state.mayTrust(log.report);
  await state.reserve({ view: 1, logSequence: 0 });
  await log.wal.close();
  expect(await history()).toMatchObject({ level: 'ok' });
  await rm(join(data, DATA.wal), { recursive: true });
  expect(await history()).toMatchObject({
    level: 'warning',
    found:
      'this validator signs nothing up to view 65: its write-ahead log was lost, so what it signed up to there is unknown',
  });
  await rm(join(data, DATA.signState));
  await mkdir(join(data, DATA.state));
  expect((await history())?.found).toContain('sign-state.json is missing or empty, though a node has run on');
});

test('an admin token file without a token is a fault: every admin request was rejected', async () => {
  await appendFile(join(home, 'config.yaml'), 'api:\n  adminTokenFile: keys/empty.token\n');
  for (const text of ['\n', 'two words\n', 'x'.repeat(257)]) {
    await writeFile(join(home, 'keys', 'empty.token'), text);
    const [found] = of((await examined()).findings, 'admin token');
    expect(found?.level).toBe('fault');
    expect(found?.found).toContain('is no admin token');
  }
});

test('a configured admin token file that is missing is a fault', async () => {
  await appendFile(join(home, 'config.yaml'), 'api:\n  adminTokenFile: keys/no.token\n');
  const { code, findings } = await examined();
  expect(code).toBe(1);
  expect(of(findings, 'admin token')[0]).toMatchObject({ level: 'fault' });
});

test('a node that stopped at a digest mismatch is a fault, with the command that rebuilds it', async () => {
  await mkdir(join(home, 'data'));
  await writeFile(join(home, 'data', 'divergence.json'), '{"height":7,"report":"block 0x07 at height 7"}');
  const { code, findings } = await examined();
  expect(code).toBe(1);
  expect(of(findings, 'state')[0]?.found).toContain('block 0x07 at height 7');
  expect(of(findings, 'state')[0]?.remedy).toContain('slipstream state rebuild');
});

test('the keys of a node that runs are judged by the committee that it answers', async () => {
  const config = await configOf(home, capturedTerminal(folder));
  const peer = identityFromSeed(new Uint8Array(32).fill(7)).peer;
  const [member] = (await readGenesis(join(home, 'genesis.json'))).members;
  const inForce = { index: 1, weight: 1, blsPublicKey: to0x(member?.blsPublicKey as Uint8Array), peer: `0x${peer}` };
  const committee = {
    epoch: 3,
    totalWeight: 2,
    quorumWeight: 2,
    members: [{ ...inForce, index: 0, blsPublicKey: `0x${'01'.repeat(48)}`, peer: `0x${'02'.repeat(32)}` }, inForce],
  };
  const status = async () => ({ alerts: [] });
  const client = { committee: async () => committee, status } as unknown as Client;
  expect(of(await checkKeys(home, config, client), 'keys')[0]?.found).toContain('in epoch 3, this node');
  await writeFile(join(home, 'keys/peer.seed'), `${'07'.repeat(32)}\n`);
  const rotated = await checkKeys(home, config, client);
  expect(of(rotated, 'keys')).toEqual([]);
  expect(of(rotated, 'identity')[0]?.found).toContain('validator 1 of 2');
  const noAnswer = () => Promise.reject(new Error('no answer'));
  const silent = { committee: noAnswer, status: noAnswer } as unknown as Client;
  expect(of(await checkKeys(home, config, silent), 'keys')).toMatchObject([{ level: 'warning' }]);
});
