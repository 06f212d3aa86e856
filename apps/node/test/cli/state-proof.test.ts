/** Proofs of state from the command line: `tx verify-proof` knows them by their form, `account show` asks for one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateKeys } from '@slipstream/client';
import { to0x } from '@slipstream/primitives';
import { stateProofToJson } from '@slipstream/schema';
import { stateProofCodec } from '@slipstream/state-tree/proofs';
import { genesisToJson } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningApi, runApi, startApi } from '../../../../packages/api/test/running-api.ts';
import { ALICE, AT, BALANCE, BOB, proofOf } from '../../../../packages/client/test/proven-state.ts';
import { genesis } from '../../../../packages/client/test/real-chain.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

let folder: string;
let api: RunningApi;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-state-proof-'));
  await writeFile(join(folder, 'genesis.json'), JSON.stringify(genesisToJson(genesis)));
  api = await runApi();
});

afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(...words: readonly string[]) {
  const terminal = capturedTerminal(folder);
  const code = await runCommandLine(words, terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

async function verify(proof: string | Uint8Array, ...words: readonly string[]) {
  await writeFile(join(folder, 'proof'), proof);
  return run('tx', 'verify-proof', 'proof', '--genesis', 'genesis.json', ...words);
}

const keys = [stateKeys.account(ALICE), stateKeys.account(BOB), stateKeys.data(ALICE, 'colour')];
const proof = proofOf(keys);
const bytes = stateProofCodec.encode(proof);
const json = JSON.stringify(stateProofToJson(proof));

test('a proof of state is verified as bytes, text and JSON, and its last line says what it is of', async () => {
  for (const form of [bytes, to0x(bytes), json]) {
    const { code, out, err } = await verify(form);
    expect(code, out + err).toBe(0);
    expect(out).toMatch(/path +ok/);
    expect(out).toContain(
      `VERIFIED at height ${AT}: account ${ALICE} has balance ${BALANCE}; there is no account ${BOB}; data "colour" of account ${ALICE} is 0x010203`,
    );
  }
  const answer: unknown = JSON.parse((await verify(json, '--json')).out);
  expect(answer).toMatchObject({ verified: true, height: AT, entries: [{ balance: BALANCE.toString() }, {}, {}] });
});

test('the answer of an account is verified with what it says, and a false balance is refused', async () => {
  const text = await (await fetch(`${api.url}/v1/accounts/${ALICE}?proof=true&epochsFrom=0`)).text();
  expect((await verify(text)).code).toBe(0);
  const lie = await verify(JSON.stringify({ ...JSON.parse(text), balance: '99' }));
  expect(lie.code).toBe(1);
  expect(lie.out).toContain('REFUSED at step claims: /balance');
});

test('account show says that nothing is verified without a genesis file, and verifies with it', async () => {
  const plain = await run('account', 'show', ALICE, '--url', api.url);
  expect(plain.code, plain.err).toBe(0);
  expect(plain.out).toContain('NOT VERIFIED');
  const proven = await run('account', 'show', ALICE, '--url', api.url, '--genesis', 'genesis.json');
  expect(proven.code, proven.err).toBe(0);
  expect(proven.out).toContain(`balance  ${BALANCE}`);
  expect(proven.out).toContain(`VERIFIED with the genesis file: certified at height ${AT}`);
  const absent = await run('account', 'show', BOB, '--url', api.url, '--genesis', 'genesis.json', '--json');
  expect(JSON.parse(absent.out)).toMatchObject({ verified: true, balance: '0', exists: false });
});

test('account show refuses a node that lies, and names the step', async () => {
  const { proven } = api.node;
  const account: typeof proven.account = async () => {
    const found = await proven.account({ scheme: 'ed25519', bytes: new Uint8Array(32).fill(0xb0) });
    return found;
  };
  const { url } = await startApi({ backend: { proven: { ...proven, account } } });
  const { code, err } = await run('account', 'show', ALICE, '--url', url, '--genesis', 'genesis.json');
  expect(code).toBe(1);
  expect(err).toContain('at step keys');
});
