/** candidate, create, accept, as operators and the genesis' maker call them. */
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@slipstream/node-home';
import { loadIdentity } from '@slipstream/node-home/identity';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

let folder: string;

const at = (...parts: readonly string[]) => join(folder, ...parts);
const read = (...parts: readonly string[]) => readFile(at(...parts), 'utf8');
const readJson = async (...parts: readonly string[]) => JSON.parse(await read(...parts));
const SECRETS = ['bls.keystore.json', 'bls.password', 'peer.seed', 'admin.token'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-genesis-'));
  await mkdir(at('candidacies'));
  for (const [name, role] of [
    ['alice', '--address alice.example.org:9000 --weight 2'],
    ['bob', '--address 10.0.0.2:9100'],
    ['carol', '--full-node'],
  ]) {
    await expectDone(`genesis candidate --home ${name} --chain consortium --name ${name} ${role}`);
    await copyFile(at(`${name}/candidacy.json`), at(`candidacies/of-${name}`));
  }
  await expectDone('genesis create candidacies --chain consortium --out chain --consensus-preset wan');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(line: string) {
  const terminal = capturedTerminal(folder);
  const code = await runCommandLine(line.split(' '), terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

async function expectDone(line: string): Promise<string> {
  const { code, out, err } = await run(line);
  expect(code, err).toBe(0);
  return out;
}

async function expectRefused(line: string, ...says: readonly string[]): Promise<void> {
  const { code, err } = await run(line);
  expect(code).not.toBe(0);
  for (const each of says) expect(err).toContain(each);
}

/** A candidate's folder before it had a genesis. */
async function candidateAgain(name: string, as: string): Promise<string> {
  await cp(at(name), at(as), { recursive: true });
  for (const file of ['config.yaml', 'genesis.json', 'committee.certificate']) await rm(at(as, file), { force: true });
  return as;
}

/** chain.json changed by the genesis' maker. */
async function forged(change: (chain: ForgedChain) => void): Promise<string> {
  const chain = await readJson('chain/chain.json');
  change(chain);
  await writeFile(at('forged.json'), JSON.stringify(chain));
  return 'forged.json';
}

interface ForgedChain {
  genesis: { chain: string; members: Record<string, unknown>[]; trustedIssuers: string[] };
  candidacies: Record<string, unknown>[];
  committeeCertificate: string;
}

test('a candidacy comes with keys that only their owner can read, as init makes them, and contains no secret', async () => {
  expect((await readdir(at('alice/keys'))).sort()).toEqual(SECRETS.toSorted());
  for (const name of SECRETS) expect((await stat(at('alice/keys', name))).mode & 0o777, name).toBe(0o600);
  expect((await readdir(at('carol/keys'))).sort()).toEqual(['admin.token', 'peer.seed']);
  const candidacy = await read('alice/candidacy.json');
  for (const name of SECRETS) expect(candidacy).not.toContain((await read('alice/keys', name)).trim());
});

test('a second call keeps all keys, and changes address and weight', async () => {
  await candidateAgain('alice', 'moving');
  const before = await Promise.all(SECRETS.map((name) => read('moving/keys', name)));
  await expectDone(
    'genesis candidate --home moving --chain consortium --name alice --address new.example.org:9000 --weight 5',
  );
  expect(await Promise.all(SECRETS.map((name) => read('moving/keys', name)))).toEqual(before);
  const [old, fresh] = [await readJson('alice/candidacy.json'), await readJson('moving/candidacy.json')];
  expect(fresh).toMatchObject({ address: 'new.example.org:9000', weight: 5, peerKey: old.peerKey });
  expect(fresh.blsPublicKey).toBe(old.blsPublicKey);
});

test('candidate never writes into a chain folder, changes the role, or opens a keystore without its password', async () => {
  await expectDone('init --validators 1 --out running');
  const config = await read('running/validator-0/config.yaml');
  const line = (home: string, role = '--address a:1') => `genesis candidate --home ${home} --name other ${role}`;
  await expectRefused(line('running/validator-0'), 'is of a chain already');
  expect(await read('running/validator-0/config.yaml')).toBe(config);
  await expectRefused(line(await candidateAgain('alice', 'demoted'), '--full-node'), 'has the key of a validator');
  await candidateAgain('alice', 'locked');
  await rm(at('locked/keys/bls.keystore.json'));
  const password = await read('locked/keys/bls.password');
  await expectRefused(line('locked'), 'not the keystore that it opens');
  expect(await read('locked/keys/bls.password')).toBe(password);
});

test('candidate reports all faults of its options at once', async () => {
  const { code, err } = await run('genesis candidate --home none --chain No --name Not_Me --address nowhere');
  expect(code).toBe(2);
  for (const fault of ['--chain must', '--name must', '--address must be host:port']) expect(err).toContain(fault);
  // A candidacy that `genesis create` would refuse.
  const hyphen = await run('genesis candidate --home none --chain=-x --name alice --address alice:9000');
  expect(hyphen.code).toBe(2);
  expect(hyphen.err).toContain('--chain must');
  await expectRefused('genesis candidate --home none --name me', '--address is needed, or --full-node');
  await expectRefused('genesis candidate --home none --name me --full-node --address a:1 --weight 2', '--weight is of');
  expect(existsSync(at('none'))).toBe(false);
});

test('create includes members by name with their requested weights, and keeps the root key for its owner', async () => {
  const { members, development, chain } = await readJson('chain/genesis.json');
  const [alice, bob] = [await readJson('alice/candidacy.json'), await readJson('bob/candidacy.json')];
  expect({ chain, development }).toEqual({ chain: 'consortium', development: false });
  expect(members).toEqual(
    [alice, bob].map(({ name, weight, blsPublicKey, proofOfPossession, peerKey, address, operator, feeAccount }) => ({
      name,
      weight,
      blsPublicKey,
      proofOfPossession,
      peerKey,
      address,
      operator,
      feeAccount,
    })),
  );
  for (const name of ['root.keystore.json', 'root.password']) {
    expect((await stat(at('chain', name))).mode & 0o777).toBe(0o600);
  }
  expect((await readJson('chain/chain.json')).genesis).toEqual(await readJson('chain/genesis.json'));
});

test('the accounts of a validator are those its operator names, or its network key; administrators govern when named', async () => {
  const [owner, fees] = [`0x01${'aa'.repeat(32)}`, `0x01${'bb'.repeat(32)}`];
  await mkdir(at('governed'));
  await expectDone(
    `genesis candidate --home gina --chain g --name gina --address g:9000 --operator ${owner} --fee-account ${fees}`,
  );
  await copyFile(at('gina/candidacy.json'), at('governed/gina'));
  await expectDone(`genesis create governed --chain g --out g --administrators ${owner},${fees} --approvals 1`);
  const { members, governance } = await readJson('g/genesis.json');
  expect(members).toMatchObject([{ operator: owner, feeAccount: fees }]);
  expect(governance).toEqual({ administrators: [owner, fees], approvals: 1 });
  const { members: others, governance: free } = await readJson('chain/genesis.json');
  expect(others[0].operator).toBe(`0x01${others[0].peerKey.slice(2)}`);
  expect(free).toEqual({ administrators: [], approvals: 0 });
  const create = 'genesis create governed --chain g --out h';
  await expectRefused(`${create} --approvals 1`, '--approvals is of --administrators');
  await expectRefused(
    `${create} --administrators ${owner} --approvals 2`,
    'must be from 1 to the number of administrators (1)',
  );
  await expectRefused('genesis candidate --home h --name h --address h:1 --operator 0x0', '--operator: ');
});

test('create names each fault with its file, prints nothing of a possible secret, and writes nothing', async () => {
  await cp(at('candidacies'), at('faulty'), { recursive: true });
  const { weight: _, ...light } = await readJson('alice/candidacy.json');
  await writeFile(at('faulty/light'), JSON.stringify(light));
  await writeFile(at('faulty/copy'), await read('bob/candidacy.json'));
  await copyFile(at('bob/keys/peer.seed'), at('faulty/seed'));
  await mkdir(at('faulty/below'));
  await writeFile(at('faulty/large'), 'x'.repeat(20_000));
  const { code, err, out } = await run('genesis create faulty --chain consortium --out never --json');
  expect(code).toBe(1);
  expect(JSON.parse(out).error.code).toBe('candidacies-refused');
  const messages = [
    'light: weight: must be',
    'of-bob: name: is that of copy too',
    'seed: ',
    'below: is no file',
    'large: has',
  ];
  for (const each of messages) expect(err).toContain(each);
  expect(err).not.toContain((await read('bob/keys/peer.seed')).trim().slice(0, 8));
  expect(existsSync(at('never'))).toBe(false);
});

test('create rejects candidacies for another chain, and a folder that holds a chain', async () => {
  await expectRefused('genesis create candidacies --chain other --out never', 'of-alice: chain: is "consortium"');
  const before = await read('chain/root.keystore.json');
  await expectRefused('genesis create candidacies --chain consortium --out chain', 'holds a chain already');
  expect(await read('chain/root.keystore.json')).toBe(before);
});

test('accept makes a folder that a node starts from, with its peers, and slots for full nodes by name', async () => {
  const keys = await Promise.all(SECRETS.map((name) => read('alice/keys', name)));
  const { genesisHash } = JSON.parse(await expectDone('genesis accept chain/chain.json --home alice --look --json'));
  expect(existsSync(at('alice/config.yaml'))).toBe(false);
  const said = await expectDone(`genesis accept chain/chain.json --home alice --hash ${genesisHash} --api-port 8085`);
  for (const each of [genesisHash, 'alice', 'weight 2 of 3', 'weight 1 of 3', 'full node'])
    expect(said).toContain(each);
  expect(await Promise.all(SECRETS.map((name) => read('alice/keys', name)))).toEqual(keys);
  const config = loadConfig({
    file: { path: 'config.yaml', text: await read('alice/config.yaml') },
    environment: {},
    flags: new Map(),
  });
  const [bob, carol] = [await readJson('bob/candidacy.json'), await readJson('carol/candidacy.json')];
  expect(config).toMatchObject({
    name: 'alice',
    'network.listen': '0.0.0.0:9000',
    'network.peers': [`${bob.peerKey.slice(2)}@10.0.0.2:9100`],
    'network.reserved': [carol.peerKey.slice(2)],
    'api.port': 8085,
    'consensus.preset': 'wan',
  });
  const { validator, committeeCertificate } = await loadIdentity(at('alice'), config);
  expect(validator?.index).toBe(0);
  expect(committeeCertificate?.members).toHaveLength(2);
});

test('a full node gets a folder of its own as well, and connects to the validators', async () => {
  await expectDone('genesis accept chain/chain.json --home carol --network-listen 127.0.0.1:9005');
  const text = await read('carol/config.yaml');
  for (const each of ['listen: 127.0.0.1:9005', '@alice.example.org:9000', '@10.0.0.2:9100'])
    expect(text).toContain(each);
  for (const each of ['bls:', 'reserved:']) expect(text).not.toContain(each);
});

test('accept rejects a genesis other than the agreed one, and a malformed hash', async () => {
  const home = await candidateAgain('bob', 'careful');
  const other = `0x${'ab'.repeat(32)}`;
  await expectRefused(`genesis accept chain/chain.json --home ${home} --hash ${other}`, 'agreed is 0xabab');
  await expectRefused(`genesis accept chain/chain.json --home ${home} --hash 0x12`, '--hash must be');
  expect((await readdir(at(home))).sort()).toEqual(['candidacy.json', 'keys']);
});

test('accept rejects a genesis without this node, of another chain, or with a changed weight or address', async () => {
  await expectDone('genesis candidate --home dave --chain consortium --name dave --address dave:9000');
  await expectRefused('genesis accept chain/chain.json --home dave', 'dave with the network key', 'is not among them');
  await expectDone('genesis candidate --home erin --chain elsewhere --name erin --address erin:9000');
  await expectRefused('genesis accept chain/chain.json --home erin', 'the candidacy of this folder is for "elsewhere"');
  const home = await candidateAgain('bob', 'changed');
  await expectDone(`genesis candidate --home ${home} --chain consortium --name bob --address bob:1 --weight 7`);
  await expectRefused(
    `genesis accept chain/chain.json --home ${home}`,
    'address: is 10.0.0.2:9100 for this node, its candidacy says bob:1',
    'weight: is 1 for this node, its candidacy says 7',
  );
});

test('accept trusts no author of a genesis: members, proofs and weights must match signed candidacies', async () => {
  const home = await candidateAgain('bob', 'distrustful');
  const mallory = await readJson('dave/candidacy.json');
  const refuse = async (change: (chain: ForgedChain) => void, ...says: readonly string[]) =>
    expectRefused(`genesis accept ${await forged(change)} --home ${home}`, ...says);
  const { name, blsPublicKey, proofOfPossession, peerKey, address, operator, feeAccount } = mallory;
  await refuse(({ genesis }) => {
    genesis.members.push({ name, weight: 1, blsPublicKey, proofOfPossession, peerKey, address, operator, feeAccount });
  }, 'genesis.members: are not the 2 validators of the candidacies');
  await refuse(({ genesis }) => {
    genesis.members[0] = { ...genesis.members[0], weight: 100 };
  }, 'genesis.members: ');
  await refuse(({ genesis }) => {
    genesis.members[0] = { ...genesis.members[0], operator };
  }, 'genesis.members: ');
  await refuse(({ candidacies }) => {
    candidacies[0] = { ...candidacies[0], operator };
  }, 'candidacies[0]: blsSignature: is not of the key');
  await refuse(({ candidacies }) => {
    candidacies[0] = { ...candidacies[0], weight: 100 };
  }, 'candidacies[0]: blsSignature: is not of the key');
  await refuse(({ genesis, candidacies }) => {
    genesis.members[0] = { ...genesis.members[0], proofOfPossession };
    candidacies[0] = { ...candidacies[0], proofOfPossession };
  }, 'candidacies[0]: proofOfPossession: does not show');
  await refuse(({ genesis }) => {
    genesis.trustedIssuers = [blsPublicKey];
  }, 'committeeCertificate: ');
  await refuse((chain) => {
    chain.committeeCertificate = '0x00';
  }, 'committeeCertificate: ');
  await refuse(({ genesis }) => {
    genesis.members[1] = {};
  }, 'forged.json: genesis.members[1].weight: must be');
  expect((await readdir(at(home))).sort()).toEqual(['candidacy.json', 'keys']);
});

test('accept rejects a folder whose keys are not those of its candidacy', async () => {
  const home = await candidateAgain('bob', 'mixed');
  await copyFile(at('dave/keys/peer.seed'), at(home, 'keys/peer.seed'));
  await expectRefused(`genesis accept chain/chain.json --home ${home}`, 'is of other keys than those under');
});

test('accept overwrites no chain; an interrupted one is completed by a second call', async () => {
  const home = await candidateAgain('bob', 'cut-off');
  await expectDone(`genesis accept chain/chain.json --home ${home}`);
  const config = await read(home, 'config.yaml');
  await expectRefused(
    `genesis accept chain/chain.json --home ${home} --api-port 1`,
    'is of a chain already (config.yaml)',
  );
  expect(await read(home, 'config.yaml')).toBe(config);
  await rm(at(home, 'config.yaml'));
  await expectDone(`genesis accept chain/chain.json --home ${home}`);
  expect(await read(home, 'config.yaml')).toBe(config);
  await rm(at(home, 'config.yaml'));
  await writeFile(at(home, 'genesis.json'), await read('running/genesis.json'));
  await expectRefused(`genesis accept chain/chain.json --home ${home}`, '(genesis.json)');
});

test('a node in a candidate’s folder reports what is missing, and so does the doctor, who checks its keys', async () => {
  const home = await candidateAgain('bob', 'waiting');
  await expectRefused(`node --home ${home}`, 'no chain yet: slipstream genesis accept');
  const { code, out } = await run(`doctor --home ${home} --json`);
  expect(code).toBe(1);
  const { findings } = JSON.parse(out) as {
    findings: { check: string; level: string; found: string; remedy?: string }[];
  };
  expect(findings.filter(({ level }) => level === 'fault').map(({ check }) => check)).toEqual(['genesis']);
  expect(findings.find(({ check }) => check === 'candidacy')?.found).toContain('bob for chain consortium: validator');
  expect(findings.find(({ check }) => check === 'genesis')?.remedy).toContain('genesis accept');
  expect(findings.filter(({ check }) => check === 'secret file')).toHaveLength(4);
  const changed = { ...(await readJson(home, 'candidacy.json')), weight: 9 };
  await writeFile(at(home, 'candidacy.json'), JSON.stringify(changed));
  expect((await run(`doctor --home ${home}`)).out).toContain('was changed: blsSignature, peerSignature do not hold');
  await rm(at(home, 'candidacy.json'));
  expect((await run(`doctor --home ${home}`)).out).toContain('slipstream genesis candidate');
});
