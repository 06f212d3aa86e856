import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLedgerReader, openLedger } from '@slipstream/ledger';
import { readGenesis } from '@slipstream/node-home';
import { openState } from '@slipstream/node-home/state';
import { createRandom, openKeyValue } from '@slipstream/platform';
import { type PeerKey, silentTelemetry } from '@slipstream/ports';
import { genesisHashOf } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { adminToken } from '../../src/cli/admin.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { withStoppedNode } from '../../src/cli/stopped-node.ts';
import { openExclusively } from '../../src/storage/exclusive-ledger.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-cli-'));
  const made = await run('init --validators 2 --fullnodes 1 --out chain --development --weights 3,4');
  expect(made.code, made.err).toBe(0);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(line: string, input = '') {
  const terminal = capturedTerminal(folder, new TextEncoder().encode(input));
  const code = await runCommandLine(line.split(' '), terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

async function runJson(line: string, input = '') {
  const { code, out, err } = await run(`${line} --json`, input);
  expect(code, err).toBe(0);
  return JSON.parse(out);
}

test('init makes a genesis and one folder per node, with secrets that only their owner can read', async () => {
  const genesis = JSON.parse(await readFile(join(folder, 'chain/genesis.json'), 'utf8'));
  expect(genesis).toMatchObject({ chain: 'slipstream', development: true });
  for (const name of ['validator-0', 'validator-1', 'full-node-0']) {
    expect(existsSync(join(folder, 'chain', name, 'config.yaml'))).toBe(true);
    const { mode } = await stat(join(folder, 'chain', name, 'keys/peer.seed'));
    expect(mode & 0o077).toBe(0);
  }
  expect(existsSync(join(folder, 'chain/full-node-0/keys/bls.keystore.json'))).toBe(false);
});

test('init reserves a slot for each full node it makes, on all nodes but itself', async () => {
  const { keys } = await runJson('keys show chain/full-node-0/keys/peer.seed');
  const key: string = keys.find(({ kind }: { kind: string }) => kind === 'network').peer.slice(2);
  const reserved = await Promise.all(
    ['validator-0', 'full-node-0'].map((name) => readFile(join(folder, 'chain', name, 'config.yaml'), 'utf8')),
  );
  expect(reserved.map((text) => text.includes(`reserved:\n    - ${key}`))).toEqual([true, false]);
});

test.each([
  ['weights', '--validators 2 --weights 9000,9000', 'the weights add up to 18000, at most 10000 are allowed'],
  ['supply', '--validators 1 --development --allocations rich', 'they own 19446744073709551615'],
  ['prices', '--validators 1 --fees metered', 'all accounts together own 0, so that no account could ever pay'],
])('init rejects a chain that no node could start or use: %s', async (name, terms, words) => {
  await writeFile(join(folder, 'rich'), `0x01${'11'.repeat(32)} 18446744073709551615\n`);
  const { code, err } = await run(`init ${terms} --out no-${name}`);
  expect(code).toBe(2);
  expect(err).toContain(words);
  expect(existsSync(join(folder, `no-${name}`))).toBe(false);
});

test('init funds the accounts of a file, beside the faucet, and reports faults by line', async () => {
  const [one, two] = [`0x01${'11'.repeat(32)}`, `0x01${'22'.repeat(32)}`];
  await writeFile(join(folder, 'owned'), `${one} 500\n\n${two}   7\n`);
  expect((await run('init --validators 1 --development --allocations owned --out endowed')).code).toBe(0);
  const { allocations } = JSON.parse(await readFile(join(folder, 'endowed/genesis.json'), 'utf8'));
  expect(allocations.slice(1)).toEqual([
    { account: one, balance: '500' },
    { account: two, balance: '7' },
  ]);
  await writeFile(join(folder, 'wrong'), `${one} 5\n0x01ab 5\n${two} five\n${one} 6\n${two} ${2n ** 64n}\n`);
  const { code, err } = await run('init --validators 1 --allocations wrong --out none');
  expect(code).toBe(2);
  for (const fault of ['line 2: ', 'line 3: must be', 'line 4: ', 'below 2^64']) expect(err).toContain(fault);
  expect(existsSync(join(folder, 'none'))).toBe(false);
});

test('init for separate machines: a node listens at the address that the others get', async () => {
  const line = 'init --validators 2 --fullnodes 1 --addresses validator-{i}.example.org:9100 --out apart';
  const { nodes } = await runJson(line);
  for (const [at, name] of ['validator-0', 'validator-1', 'full-node-0'].entries()) {
    const text = await readFile(join(folder, 'apart', name, 'config.yaml'), 'utf8');
    expect(text).toContain('listen: 0.0.0.0:9100');
    expect(nodes[at].networkPort).toBe(9100);
  }
  expect(await readFile(join(folder, 'apart/validator-0/config.yaml'), 'utf8')).toContain(
    '@validator-1.example.org:9100',
  );
});

test('init does not change an existing chain', async () => {
  const before = await readFile(join(folder, 'chain/genesis.json'), 'utf8');
  const { code, err } = await run('init --out chain');
  expect(code).toBe(2);
  expect(err).toContain('holds a chain already');
  expect(await readFile(join(folder, 'chain/genesis.json'), 'utf8')).toBe(before);
});

test('init overwrites neither keys of a node nor the root key, though the genesis file is missing', async () => {
  const keystore = 'moved/validator-1/keys/bls.keystore.json';
  const made = await run('init --validators 2 --out moved');
  expect(made.code, made.err).toBe(0);
  await rm(join(folder, 'moved/genesis.json'));
  const before = await readFile(join(folder, keystore), 'utf8');
  const again = await run('init --validators 2 --out moved');
  expect(again.code).toBe(2);
  expect(again.err).toContain('root.keystore.json');
  expect(again.err).toContain('validator-1');
  expect(await readFile(join(folder, keystore), 'utf8')).toBe(before);
});

test('session grant overwrites no file, and grants nothing then', async () => {
  await writeFile(join(folder, 'session.json'), 'one that is in use');
  // No process listens there, so an attempted grant would fail otherwise.
  const { code, err } = await run(
    'session grant --key none.key --service wallet.example --target http://127.0.0.1:1 --url http://127.0.0.1:1',
  );
  expect(code).toBe(2);
  expect(err).toContain('never overwritten');
  expect(await readFile(join(folder, 'session.json'), 'utf8')).toBe('one that is in use');
});

test('init rejects weights that do not match the validators, and an invalid name', async () => {
  const { code, err } = await run('init --out other --validators 3 --weights 1,2 --chain Not_A_Name');
  expect(code).toBe(2);
  expect(err).toContain('2 weights for 3 validators');
  expect(err).toContain('--chain must be');
});

test.for([
  ['--network-port 8080 --api-port 8080', 'closer than'],
  ['--network-port 8082 --api-port 8080 --validators 3', 'closer than'],
  ['--network-port 8080 --api-port 8080 --addresses v{i}:9000', 'closer than'],
  ['--api-port 64999 --validators 600', 'would need port 65598'],
  ['--addresses v{i}:9000 --host', '--host must be'],
  ['--api-host', '--api-host must be'],
])('init rejects options that no node could run with: %s', async ([options = '', says = '']) => {
  const words = ['init', '--out', 'never', ...options.split(' '), ...(options.endsWith('host') ? ['a host'] : [])];
  const terminal = capturedTerminal(folder);
  expect(await runCommandLine(words, terminal)).toBe(2);
  expect(terminal.errLines.join('\n')).toContain(says);
  expect(existsSync(join(folder, 'never'))).toBe(false);
});

test('init reports that it cannot make a folder below a file', async () => {
  await writeFile(join(folder, 'plain'), '');
  const { code, err } = await run('init --validators 1 --out plain/chain');
  expect(code).toBe(1);
  expect(err).toContain('is a file, a folder is needed');
  expect(err).not.toContain('report this');
});

test('commands resolve absolute paths of a configuration, as the node does', async () => {
  const home = join(folder, 'chain/validator-1');
  const config = await readFile(join(home, 'config.yaml'), 'utf8');
  const elsewhere = join(folder, 'absolute');
  await mkdir(elsewhere);
  await writeFile(
    join(elsewhere, 'config.yaml'),
    config.replaceAll(/(keys\/[a-zA-Z.]+|genesis\.json)/g, (path) => join(home, path)),
  );
  const { keys } = await runJson('keys list --home absolute');
  expect(keys.map(({ standing }: { standing: string }) => standing)).toContain('validator 1 of 2');
  const token = await readFile(join(home, 'keys/admin.token'), 'utf8');
  const options = { home: elsewhere, 'token-file': undefined };
  expect(await adminToken(options, capturedTerminal(folder))).toBe(token.trim());
});

test('an invalid token is rejected, and not shown', async () => {
  await writeFile(join(folder, 'token'), 'not a token\n');
  const asked = await run('admin audit --token-file token');
  expect(asked.code).toBe(2);
  expect(asked.err).toContain('holds no admin token');
  expect(asked.err).not.toContain('not a');
});

test('node --print-config shows file, environment and flags merged, as an equivalent file', async () => {
  const { code, out } = await run('node --home chain/validator-1 --print-config --log-level warn');
  expect(code).toBe(0);
  expect(out).toContain('port: 8081');
  expect(out).toContain('level: warn');
  expect(out).toContain('SLIPSTREAM_API_PORT');
});

test('node reports all faults of a configuration at once, with exit code 2', async () => {
  const { code, err } = await run('node --home chain/validator-1 --api-port 99999 --log-level loud');
  expect(code).toBe(2);
  expect(err).toContain('2 faults');
  expect(err).toContain('--api-port');
  expect(err).toContain('--log-level');
});

test('node in a folder without a node explains how to make one', async () => {
  const { code, err } = await run('node --home nowhere');
  expect(code).toBe(1);
  expect(err).toContain('slipstream init');
});

test('keys list names the owners of a folder’s keys in its genesis', async () => {
  const { keys } = await runJson('keys list --home chain/validator-1');
  expect(keys.map(({ kind, standing }: { kind: string; standing: string }) => [kind, standing])).toEqual([
    ['validator', 'validator 1 of 2'],
    ['network', 'validator 1 of 2'],
    ['account', 'funded in genesis'],
  ]);
});

test('keys new makes a key that keys show reads, and never overwrites one', async () => {
  const made = await runJson('keys new account --out alice.key');
  const { keys } = await runJson('keys show alice.key');
  expect(keys[0]).toEqual({ kind: 'account', account: made.account });
  const again = await run('keys new network --out alice.key');
  expect(again.code).toBe(2);
  expect(again.err).toContain('never overwritten');
});

test('a keystore is never written under an empty password', async () => {
  await writeFile(join(folder, 'empty.password'), '\n');
  const { code, err } = await run('keys new validator --out open.json --password-file empty.password');
  expect(code).toBe(2);
  expect(err).toContain('empty.password is empty');
  expect(existsSync(join(folder, 'open.json'))).toBe(false);
});

test.each([64, 63, 65])('%s digits given instead of a file are never shown: they may be a secret', async (digits) => {
  const secret = '5e2158bb2716b00f02d63bba7111378522c613759193756825124c601cb873d5f'.slice(0, digits);
  for (const line of [
    `tx transfer --to 0x01${'aa'.repeat(32)} --amount 1 --key`,
    'keys import account --out it.key --secret',
  ]) {
    const { code, out, err } = await run(`${line} ${secret}`);
    expect(code).toBe(1);
    expect(err).toContain('looks like a secret');
    expect(out + err).not.toContain(secret.slice(0, 16));
  }
});

test('keys import of a validator writes a keystore that only its password opens', async () => {
  const secret = `${'00'.repeat(31)}07`;
  const line = 'keys import validator --secret - --out seven.json --password-file seven.password';
  const made = await runJson(line, secret);
  expect(await readFile(join(folder, 'seven.json'), 'utf8')).not.toContain(secret);
  const shown = await runJson('keys show seven.json --password-file seven.password');
  expect(shown.keys).toEqual([
    { kind: 'validator', publicKey: made.publicKey, proofOfPossession: made.proofOfPossession },
  ]);
  await writeFile(join(folder, 'wrong.password'), 'wrong\n');
  const wrong = await run('keys show seven.json --password-file wrong.password');
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain('wrong password');
});

test('keys import rejects a secret that is no key', async () => {
  const tooLarge = await run(
    'keys import validator --secret - --out large.json --password-file large.password',
    'ff'.repeat(32),
  );
  expect(tooLarge.code).toBe(1);
  const short = await run('keys import account --secret - --out short.key', 'abcd');
  expect(short.code).toBe(2);
  expect(existsSync(join(folder, 'short.key'))).toBe(false);
});

test('a signing history moves from one machine to another, only within its chain', async () => {
  const empty = await run('keys export-history --home chain/validator-0');
  expect(empty.code).toBe(1);
  expect(empty.err).toContain('has no data');
  // The other machine: same chain, nothing signed.
  const imported = await run('keys import-history nothing.json --home chain/validator-0');
  expect(imported.code).toBe(1);
  expect(imported.err).toContain('cannot read the signing history');

  const { formatHistory } = await import('@slipstream/wal');
  const { toHex } = await import('@slipstream/primitives');
  const terminal = capturedTerminal(folder);
  const history = await withStoppedNode(
    'chain/validator-0',
    terminal,
    async ({ genesisHash }) => formatHistory({ genesisHash: toHex(genesisHash), mark: 700, chunkMark: 70 }),
    { create: true },
  );
  await writeFile(join(folder, 'history.json'), history);
  expect(await runJson('keys import-history history.json --home chain/validator-0')).toEqual({
    mark: 700,
    chunkMark: 70,
  });
  const back = await run('keys export-history --home chain/validator-0');
  expect(back.out).toBe(history.trimEnd());

  expect((await run('init --out elsewhere --validators 1')).code).toBe(0);
  const foreign = await run('keys import-history history.json --home elsewhere/validator-0');
  expect(foreign.code).toBe(1);
  expect(foreign.err).toContain('another chain');
});

test('a damaged sign state is replaced by a history, and retained under another name', async () => {
  const path = join(folder, 'chain/validator-0/data/sign-state.json');
  await writeFile(path, '{"mark": 1');
  expect(await runJson('keys import-history history.json --home chain/validator-0')).toMatchObject({ mark: 700 });
  expect(await readFile(`${path}.damaged`, 'utf8')).toBe('{"mark": 1');
});

test('commands on the data of a running node are rejected', async () => {
  const lock = await openExclusively(join(folder, 'chain/validator-0/data'));
  try {
    for (const line of ['wal inspect', 'state verify', 'state rebuild', 'keys export-history']) {
      const { code, err } = await run(`${line} --home chain/validator-0`);
      expect({ line, code }).toEqual({ line, code: 1 });
      expect(err).toContain('another process runs on');
    }
  } finally {
    await lock.close();
  }
});

test('state verify creates no store', async () => {
  const { code, err } = await run('state verify --home chain/validator-0');
  expect(code).toBe(1);
  expect(err).toContain('has no state');
  expect(existsSync(join(folder, 'chain/validator-0/data/state'))).toBe(false);
});

test('state verify reports a sound store, and wal inspect an empty log', async () => {
  await withStoppedNode('chain/validator-0', capturedTerminal(folder), async ({ disk, genesis, genesisHash }) => {
    const world = { random: createRandom(), telemetry: silentTelemetry };
    await (await openState(disk, { genesis, genesisHash }, world)).close();
  });
  expect(await runJson('state verify --home chain/validator-0')).toMatchObject({ faults: [] });
  const { code, out } = await run('wal inspect --home chain/validator-0');
  expect({ code, out }).toEqual({ code: 0, out: '0 records' });
});

test('state rebuild sets the data of blocks aside, carries evidence over, and keeps log and sign state', async () => {
  const data = join(folder, 'chain/validator-0/data');
  const genesis = await readGenesis(join(folder, 'chain/genesis.json'));
  const chain = { genesisHash: genesisHashOf(genesis) };
  const record = { peer: 'ab'.repeat(32) as PeerKey, reason: 'invalid-signature' as const, detail: 'a vote', atMs: 5 };
  const ledgerOf = async (location: string) =>
    openLedger({ keyValue: await openKeyValue({ location }), telemetry: silentTelemetry }, chain);
  const before = await ledgerOf(join(data, 'ledger'));
  await before.putPeerBlock(record);
  await before.close();
  await mkdir(join(data, 'wal'), { recursive: true });
  await writeFile(join(data, 'divergence.json'), '{"height":7,"report":"of block 7"}');
  const signState = await readFile(join(data, 'sign-state.json'));

  const { setAside } = await runJson('state rebuild --home chain/validator-0');
  expect(setAside).toBe(join(data, 'set-aside/1'));
  expect((await readdir(setAside)).sort()).toEqual(['divergence.json', 'ledger', 'state']);
  expect((await readdir(data)).sort()).toEqual(
    expect.arrayContaining(['ledger', 'set-aside', 'sign-state.json', 'wal']),
  );
  for (const gone of ['state', 'divergence.json', 'ledger.rebuilt']) expect(existsSync(join(data, gone))).toBe(false);
  expect(await readFile(join(data, 'sign-state.json'))).toEqual(signState);
  const after = await ledgerOf(join(data, 'ledger'));
  expect([await after.tip(), await after.peerBlocks()]).toEqual([undefined, [record]]);
  await after.close();
  expect((await runJson('state rebuild --home chain/validator-0')).setAside).toBe(join(data, 'set-aside/2'));
});

test('an interrupted state rebuild is continued in the same folder, with the evidence', async () => {
  const data = join(folder, 'chain/validator-0/data');
  await mkdir(join(data, 'set-aside/3/state'), { recursive: true });
  expect((await runJson('state rebuild --home chain/validator-0')).setAside).toBe(join(data, 'set-aside/3'));
  await rename(join(data, 'ledger'), join(data, 'ledger.rebuilt'));
  expect((await runJson('state rebuild --home chain/validator-0')).setAside).toBe(join(data, 'set-aside/4'));
  const location = join(data, 'set-aside/4/ledger');
  const ledger = createLedgerReader(await openKeyValue({ location }));
  expect(await ledger.peerBlocks()).toHaveLength(1);
});

test('state rebuild works on a damaged ledger, and reports that its evidence is only in what is set aside', async () => {
  const data = join(folder, 'chain/validator-0/data');
  await writeFile(join(data, 'ledger/CURRENT'), 'no manifest');
  const { setAside, recordsCarriedOver } = await runJson('state rebuild --home chain/validator-0');
  expect(recordsCarriedOver).toBe(false);
  expect(await readFile(join(setAside, 'ledger/CURRENT'), 'utf8')).toBe('no manifest');
  const none = await run('state rebuild --home chain/validator-0');
  expect({ code: none.code, err: none.err }).toEqual({ code: 1, err: expect.stringContaining('has no ledger') });
});
