/**
 * Four operators of validators and one of a full node begin a chain together: each creates its keys in its own folder, public files
 * alone make the genesis, and each secret is only in its owner's file.
 *
 *   <operator>/node (private)    shared/ (exchanged)    coordinator/ (the root key)
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@slipstream/checkout';
import { createClient, generateKeyPair, signTransaction, transfer, verifyProof } from '@slipstream/client';
import { decryptKeystore } from '@slipstream/crypto/native';
import {
  createNodeProcess,
  eventually,
  freePortRange,
  type NodeProcess,
  removeFolder,
  temporaryFolder,
} from '@slipstream/devnet';
import { toHex } from '@slipstream/primitives';
import { afterAll, beforeAll, expect, test } from 'vitest';

const VALIDATORS = ['ann', 'ben', 'cid', 'dot'];
const OPERATORS = [...VALIDATORS, 'eve'];
const CHAIN = 'consortium';
const rich = generateKeyPair();

let folder: string;
let firstPort: number;
const processes: NodeProcess[] = [];

const at = (...parts: readonly string[]) => join(folder, ...parts);
const peersPort = (name: string) => firstPort + OPERATORS.indexOf(name);
const apiPort = (name: string) => firstPort + OPERATORS.length + OPERATORS.indexOf(name);
const clientOf = (name: string) => createClient({ url: `http://127.0.0.1:${apiPort(name)}` });

/** Runs a command as a process in this operator's folder. */
async function slipstream(who: string, ...words: readonly string[]): Promise<string> {
  await mkdir(at(who), { recursive: true });
  const main = join(root, 'apps/node/bin/main.mjs');
  return (await promisify(execFile)(process.execPath, [main, ...words], { cwd: at(who) })).stdout;
}

async function candidate(name: string): Promise<void> {
  const role = VALIDATORS.includes(name) ? ['--address', `127.0.0.1:${peersPort(name)}`] : ['--full-node'];
  await slipstream(name, 'genesis', 'candidate', '--home', 'node', '--chain', CHAIN, '--name', name, ...role);
  await copyFile(at(name, 'node/candidacy.json'), at('shared/candidacies', `${name}.json`));
}

async function create(): Promise<string> {
  await writeFile(at('allocations'), `${rich.accountText} 1000\n`);
  const words = ['../shared/candidacies', '--chain', CHAIN, '--allocations', '../allocations', '--json'];
  await mkdir(at('coordinator'));
  const { genesisHash } = JSON.parse(await slipstream('coordinator', 'genesis', 'create', ...words));
  for (const name of ['chain.json', 'genesis.json']) await copyFile(at('coordinator/chain', name), at('shared', name));
  return genesisHash;
}

async function accept(name: string, agreed: string): Promise<void> {
  const words = ['../shared/chain.json', '--home', 'node', '--hash', agreed, '--api-port', String(apiPort(name))];
  const listen = ['--network-listen', `127.0.0.1:${peersPort(name)}`];
  await slipstream(name, 'genesis', 'accept', ...words, ...listen);
}

beforeAll(async () => {
  folder = await temporaryFolder();
  firstPort = await freePortRange(2 * OPERATORS.length);
  await mkdir(at('shared/candidacies'), { recursive: true });
  for (const name of OPERATORS) await candidate(name);
  const agreed = await create();
  for (const name of OPERATORS) await accept(name, agreed);
  for (const name of OPERATORS) {
    const node = createNodeProcess({ name, home: at(name, 'node'), flags: [] });
    processes.push(node);
    node.start();
  }
  await Promise.all(
    OPERATORS.map((name) =>
      eventually(`${name} is ready`, 120_000, async () => ((await clientOf(name).status()).ready ? true : undefined)),
    ),
  );
});

afterAll(async () => {
  await Promise.all(processes.map((node) => node.stop()));
  await removeFolder(folder);
});

test('a transaction becomes final on the chain, and its proof verifies with the shared genesis', async () => {
  const genesis: unknown = JSON.parse(await readFile(at('shared/genesis.json'), 'utf8'));
  const client = clientOf('ann');
  const to = generateKeyPair();
  const body = {
    genesisHash: await client.genesisHash(),
    sender: rich.account,
    actions: [transfer(to.accountText, 400n)],
    expiryMs: Date.now() + 30_000,
    maxFee: 0n,
    salt: new Uint8Array(8),
  };
  const view = await client.submitAndWait(signTransaction(body, rich));
  expect(view.status).toBe('final');
  for (const name of OPERATORS) {
    const proof = await eventually(`the proof at ${name}`, 30_000, () => clientOf(name).proof(view.id));
    expect(verifyProof(proof, genesis, view.id).ok, name).toBe(true);
  }
});

test('all four vote with their requested weight, and the full node follows in its reserved place', async () => {
  const { members } = await clientOf('eve').committee();
  expect(members.map(({ weight }) => weight)).toEqual([1, 1, 1, 1]);
  const eve = JSON.parse(await readFile(at('eve/node/candidacy.json'), 'utf8')).peerKey.slice(2);
  for (const name of VALIDATORS) {
    expect(await readFile(at(name, 'node/config.yaml'), 'utf8')).toContain(`reserved:\n    - ${eve}`);
    expect((await clientOf(name).status()).peers.connected, name).toBeGreaterThanOrEqual(VALIDATORS.length - 1);
  }
});

test('no secret of an operator is in a file of another, or in one that nodes wrote', async () => {
  await Promise.all(processes.map((node) => node.stop()));
  const secrets = (await Promise.all(OPERATORS.map(secretsOf))).flat();
  expect(secrets).toHaveLength(4 * VALIDATORS.length + 2);
  expect(new Set(secrets.map(({ digits }) => digits)).size).toBe(secrets.length);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  expect(files.length).toBeGreaterThan(50);
  const found: string[] = [];
  for (const file of files) {
    const bytes = await readFile(file);
    for (const { digits, owner, path } of secrets) {
      const holds = bytes.includes(digits) || bytes.includes(Buffer.from(digits, 'hex'));
      if (holds && relative(folder, file) !== path) found.push(`${relative(folder, file)} has a secret of ${owner}`);
      if (!holds && relative(folder, file) === path) found.push(`${path} does not hold the secret that is looked for`);
    }
  }
  expect(found).toEqual([]);
});

interface Secret {
  readonly owner: string;
  readonly digits: string;
  /** The only file that contains it; undefined: none does. */
  readonly path: string | undefined;
}

async function secretsOf(owner: string): Promise<readonly Secret[]> {
  const keys = join(owner, 'node/keys');
  const plain = async (name: string): Promise<Secret> => {
    const path = join(keys, name);
    return { owner, path, digits: (await readFile(at(path), 'utf8')).trim() };
  };
  const open = [await plain('peer.seed'), await plain('admin.token')];
  if (!VALIDATORS.includes(owner)) return open;
  const password = await plain('bls.password');
  const key = decryptKeystore(await readFile(at(keys, 'bls.keystore.json'), 'utf8'), password.digits);
  return [...open, password, { owner, path: undefined, digits: toHex(key) }];
}
