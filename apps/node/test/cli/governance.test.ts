/** validator and governance commands on homes with real keys, against the API of a node whose state is a genesis. */

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyCompressed } from '@slipstream/crypto/native';
import { readGenesis } from '@slipstream/node-home';
import { to0x } from '@slipstream/primitives';
import type { EpochRecordJson, ValidatorView } from '@slipstream/schema';
import {
  type Action,
  type Genesis,
  keySignaturesOf,
  type Transaction,
  transactionCodec,
  transactionIdOf,
} from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeBackend } from '../../../../packages/api/src/index.ts';
import { fakeEpochs, OPEN_PROPOSAL } from '../../../../packages/api/test/fake-epochs.ts';
import { statusOf } from '../../../../packages/api/test/fake-node.ts';
import { startApi } from '../../../../packages/api/test/running-api.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

let folder: string;
let genesis: Genesis;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-governance-'));
  await run('init --validators 4 --fullnodes 1 --development --out .');
  genesis = await readGenesis(join(folder, 'validator-0/genesis.json'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(line: string, url?: string) {
  const terminal = capturedTerminal(folder);
  const code = await runCommandLine([...line.split(' '), ...(url === undefined ? [] : ['--url', url])], terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

/** A node of the chain in the folder, and what is sent to it. */
async function node(changed: Partial<NodeBackend> = {}) {
  const sent: Transaction[] = [];
  const api = await startApi({
    backend: {
      genesis,
      epochs: fakeEpochs(genesis),
      status: async () => statusOf(genesis, 7),
      async submit(bytes) {
        const decoded = transactionCodec.decode(bytes);
        if (!decoded.ok) return { type: 'malformed', detail: decoded.error.message };
        sent.push(decoded.value);
        return { type: 'accepted', id: transactionIdOf(decoded.value.body), status: 'pending' };
      },
      ...changed,
    },
  });
  return { url: api.url, sent };
}

/** The only action that was sent, with the signatures of validators' keys in it verified. */
function onlyAction(sent: readonly Transaction[]): Action {
  const [transaction] = sent;
  expect(sent).toHaveLength(1);
  const signatures = keySignaturesOf((transaction as Transaction).body);
  if (typeof signatures === 'string') throw new Error(signatures);
  for (const { publicKeys, message, signature } of signatures) {
    expect(publicKeys).toHaveLength(1);
    expect(verifyCompressed(publicKeys[0] as Uint8Array, message, signature)).toBe(true);
  }
  return transaction?.body.actions[0] as Action;
}

async function expectRefused(line: string, says: string, url?: string): Promise<void> {
  const { code, err } = await run(line, url);
  expect(code).not.toBe(0);
  expect(err).toContain(says);
}

test('a candidate that a full node makes is proposed with the weight of the governor', async () => {
  const { code, out } = await run(
    'validator candidate --home full-node-0 --address full.example.org:9000 --name fifth',
  );
  expect(code).toBe(0);
  expect(out).toContain('Set keys.bls to keys/bls.keystore.json');
  const again = await run('validator candidate --home full-node-0 --address full.example.org:9000 --name fifth --json');
  expect(out).toContain(JSON.parse(again.out).validator);
  const { url, sent } = await node();
  const line =
    'governance propose --key validator-0/keys/peer.seed --add full-node-0/validator.json --weight 3 --wait no';
  expect((await run(line, url)).code).toBe(0);
  expect(onlyAction(sent)).toMatchObject({
    kind: 'propose',
    notBeforeMs: 0,
    changes: [{ kind: 'addValidator', name: 'fifth', weight: 3, address: 'full.example.org:9000' }],
  });
});

test('a candidate file of another chain, or without consent, is refused', async () => {
  await run('validator candidate --home full-node-0 --address full.example.org:9000 --name fifth');
  const file = JSON.parse(await readFile(join(folder, 'full-node-0/validator.json'), 'utf8'));
  const { url, sent } = await node();
  const faults: readonly (readonly [object, string])[] = [
    [{ genesisHash: `0x${'00'.repeat(32)}` }, 'is for another chain'],
    [{ genesisHash: 'none' }, 'genesisHash must be'],
    [{ operator: file.operator.replace(/..$/, '00') }, 'consent is not signed'],
    [{ peerKey: `0x${'07'.repeat(32)}` }, 'consent is not signed'],
    [{ blsPublicKey: 7 }, 'blsPublicKey: must be a text'],
    [{ address: 'nowhere' }, 'is no candidate'],
  ];
  for (const [changed, says] of faults) {
    await writeFile(join(folder, 'changed.json'), JSON.stringify({ ...file, ...changed }));
    await expectRefused('governance propose --key validator-0/keys/peer.seed --add changed.json', says, url);
  }
  await writeFile(join(folder, 'changed.json'), '[]');
  await expectRefused('governance propose --key validator-0/keys/peer.seed --add changed.json', 'JSON object', url);
  expect(sent).toEqual([]);
});

test('members are named by name or id, and changes keep the order of the options', async () => {
  const { url, sent } = await node();
  const [a, b] = (await fakeEpochs(genesis).validators({ cursor: undefined, limit: 4 })).items as ValidatorView[];
  const changes = `--remove ${b?.id} --weight ${a?.name}=7 --version 2 --not-before 2027-01-01T00:00:00Z`;
  expect((await run(`governance propose --key validator-0/keys/peer.seed ${changes} --wait no`, url)).code).toBe(0);
  const action = onlyAction(sent);
  expect(action).toMatchObject({
    notBeforeMs: Date.UTC(2027, 0, 1),
    changes: [{ kind: 'removeValidator' }, { kind: 'setWeight', weight: 7 }, { kind: 'setVersion', version: 2 }],
  });
});

test('parameters, issuers and governance come from files, and faults name the file', async () => {
  const { url, sent } = await node();
  const { parameters } = (await fakeEpochs(genesis).record(0)) as EpochRecordJson;
  const key = '--key validator-0/keys/peer.seed';
  await writeFile(join(folder, 'p.json'), JSON.stringify({ fees: parameters.fees, times: parameters.times }));
  await writeFile(join(folder, 'i.json'), JSON.stringify([`0x${'0a'.repeat(48)}`]));
  await writeFile(join(folder, 'g.json'), JSON.stringify({ administrators: [`0x01${'0b'.repeat(32)}`], approvals: 1 }));
  const line = `governance propose ${key} --parameters p.json --issuers i.json --governance g.json --wait no`;
  expect((await run(line, url)).err).toBe('');
  expect(onlyAction(sent)).toMatchObject({
    changes: [{ kind: 'setParameters' }, { kind: 'setTrustedIssuers' }, { kind: 'setGovernance' }],
  });
  await writeFile(join(folder, 'p.json'), JSON.stringify({ fees: {}, times: {} }));
  await expectRefused(`governance propose ${key} --parameters p.json`, 'p.json: fees.', url);
  const halved = { ...parameters.fees, windowBlocks: 20, limits: ['1', '1', '1', '1', '1'] };
  await writeFile(join(folder, 'p.json'), JSON.stringify({ fees: halved, times: parameters.times }));
  await expectRefused(`governance propose ${key} --parameters p.json`, 'no block could hold one', url);
  await writeFile(join(folder, 'g.json'), JSON.stringify({ administrators: [], approvals: 1 }));
  await expectRefused(`governance propose ${key} --governance g.json`, 'approvals', url);
  await writeFile(join(folder, 'p.json'), 'fees');
  await expectRefused(`governance propose ${key} --parameters p.json`, 'is not JSON', url);
});

test.for([
  ['--weight 3', 'is of candidates'],
  ['--weight validator-0=0', 'must be from 1'],
  ['--weight validator-0=x', 'must be from 1'],
  ['--version 0', '--version must be'],
  ['--remove nobody', 'no member has this name'],
  ['--not-before tomorrow', '--not-before must be a time'],
  ['', '1 to 8 changes, this one 0'],
])('governance propose %s is refused', async ([options, says]) => {
  const { url } = await node();
  await expectRefused(`governance propose --key validator-0/keys/peer.seed ${options}`.trim(), says as string, url);
});

test('ready is signed for the current epoch, once the node is synced and connected', async () => {
  const { url, sent } = await node();
  expect((await run('validator ready --home validator-1 --wait no', url)).err).toBe('');
  const action = onlyAction(sent);
  expect(action).toMatchObject({ kind: 'ready', epoch: 0, version: 1, peerKey: genesis.members[1]?.peerKey });
  const syncing = await node({ status: async () => ({ ...statusOf(genesis, 7), syncing: true, ready: false }) });
  await expectRefused('validator ready --home validator-1', 'not synced and connected', syncing.url);
  expect(syncing.sent).toEqual([]);
});

test('a rotation keeps what it does not replace, and its next keys are those that report readiness', async () => {
  const { url, sent } = await node();
  expect(
    (await run('validator rotate --home validator-2 --keys bls --address new.example.org:1 --wait no', url)).err,
  ).toBe('');
  const action = onlyAction(sent) as Action & { kind: 'rotateKeys' };
  const [, , old] = genesis.members;
  expect(action).toMatchObject({ kind: 'rotateKeys', peerKey: old?.peerKey, address: 'new.example.org:1' });
  expect(to0x(action.blsPublicKey)).not.toBe(to0x(old?.blsPublicKey ?? new Uint8Array(0)));
  sent.length = 0;
  await run('validator ready --home validator-2 --wait no', url);
  const keyOf = () => to0x((onlyAction(sent) as Action & { kind: 'ready' }).blsPublicKey);
  expect(keyOf()).toBe(to0x(action.blsPublicKey));
  sent.length = 0;
  await run('validator ready --home validator-2 --current --wait no', url);
  expect(keyOf()).toBe(to0x(old?.blsPublicKey ?? new Uint8Array(0)));
});

test.each([
  ['--address nowhere', '--address must be host:port'],
  ['--fee-account 0x77', '--fee-account is no account'],
])('validator rotate and candidate with %s are refused before a key is generated', async (option, says) => {
  const { url, sent } = await node();
  await expectRefused(`validator rotate --home validator-3 ${option}`, says, url);
  expect(existsSync(join(folder, 'validator-3/keys/next'))).toBe(false);
  await expectRefused(`validator candidate --home full-node-0 ${option}`, says);
  expect(sent).toEqual([]);
});

test('a leave names the validator of the home', async () => {
  const { url, sent } = await node();
  expect((await run('validator leave --home validator-3 --wait no', url)).err).toBe('');
  const action = onlyAction(sent) as Action & { kind: 'leave' };
  const { items } = await fakeEpochs(genesis).validators({ cursor: undefined, limit: 4 });
  expect(to0x(action.validatorId)).toBe(items[3]?.id);
});

test('approve and revoke name the proposal, show prints what it waits for', async () => {
  const { url, sent } = await node();
  for (const kind of ['approve', 'revoke']) {
    sent.length = 0;
    expect(
      (await run(`governance ${kind} ${OPEN_PROPOSAL} --key validator-0/keys/peer.seed --wait no`, url)).code,
    ).toBe(0);
    expect(onlyAction(sent).kind).toBe(kind);
  }
  await expectRefused('governance approve 0x12 --key validator-0/keys/peer.seed', 'ID must be', url);
  for (const line of ['governance show', `governance show ${OPEN_PROPOSAL}`]) {
    const { out } = await run(line, url);
    expect(out).toContain('approvals  1 of 3 needed');
    expect(out).toContain('waits for  more approvals');
  }
  await expectRefused(`governance show 0x${'ee'.repeat(32)}`, 'no such open proposal', url);
});

test('epochs and validators are shown', async () => {
  const { url } = await node();
  expect((await run('epochs', url)).out).toContain('not sealed; a block from height 64 on may seal');
  expect((await run('epochs current', url)).out).toContain('validator-3, weight 1');
  await expectRefused(
    'epochs 7 --wait 1',
    'epoch 7 has not begun within 1 s: the chain is in epoch 0, the next record is not sealed',
    url,
  );
  await expectRefused('epochs --wait 1', 'need an EPOCH', url);
  const { parameters } = (await fakeEpochs(genesis).record(0)) as EpochRecordJson;
  const { fees, times, leaderReputation } = parameters;
  expect(JSON.parse((await run('epochs current --parameters', url)).out)).toEqual({ fees, times, leaderReputation });
  await expectRefused('epochs last', 'EPOCH must be', url);
  expect((await run('validator status --home validator-1', url)).out).toContain('validator-1: member, weight 1');
  expect((await run('validator status validator-2', url)).out).toContain('validator-2: member, weight 1');
});

/** A node whose first member has the keys that the command sent. */
async function nodeAfterRotation(sent: readonly Transaction[]) {
  const epochs = fakeEpochs(genesis);
  const rotated = onlyAction(sent) as Action & { kind: 'rotateKeys' };
  const keys = { blsPublicKey: to0x(rotated.blsPublicKey), peer: `0x${rotated.peerKey}` };
  const record = (await epochs.record(0)) as EpochRecordJson;
  const members = record.members.map((member, i) => (i === 0 ? { ...member, ...keys } : member));
  return await node({
    epochs: {
      ...epochs,
      record: async () => ({ ...record, members }),
      validator: async (reference) => ({ ...((await epochs.validator(reference)) as ValidatorView), ...keys }),
    },
  });
}

test('keys retire erases nothing that is in force, and gives its place to the next key after the rotation', async () => {
  const [keystore, next] = ['keys/bls.keystore.json', 'keys/next/bls.keystore.json'].map((name) =>
    join(folder, 'validator-0', name),
  ) as [string, string];
  const before = await node();
  await run('validator rotate --home validator-0 --wait no', before.url);
  const nextKey = (await readFile(next, 'utf8')) as string;
  expect((await run('keys retire --home validator-0', before.url)).out).toContain('nothing is retired');
  expect(existsSync(next)).toBe(true);

  const after = await nodeAfterRotation(before.sent);
  const { out } = await run('keys retire --home validator-0', after.url);
  expect(out).toContain('erased keys/bls.keystore.json');
  expect(await readFile(keystore, 'utf8')).toBe(nextKey);
  expect(existsSync(next)).toBe(false);
  expect(existsSync(join(folder, 'validator-0/keys/peer.seed.retired'))).toBe(true);
  expect((await run('keys retire --home validator-0', after.url)).out).toContain('nothing is retired');
});

test('keys retire after a second rotation of the network key keeps the seeds of both before', async () => {
  const seed = (name: string) => readFile(join(folder, 'validator-1/keys', name), 'utf8');
  const { url, sent } = await node();
  const seeds = [await seed('peer.seed')];
  for (const key of ['peer.seed', 'peer.seed.retired']) {
    sent.length = 0;
    await run(`validator rotate --home validator-1 --key validator-1/keys/${key} --keys network --wait no`, url);
    const after = await nodeAfterRotation(sent);
    expect((await run('keys retire --home validator-1', after.url)).out).toContain(
      'keys/peer.seed is keys/peer.seed.retired',
    );
    seeds.push(await seed('peer.seed'));
  }
  expect([await seed('peer.seed.retired'), await seed('peer.seed.retired-2'), await seed('peer.seed')]).toEqual(seeds);
});
