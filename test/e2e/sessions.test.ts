/**
 * Sign-in on one chain, actions on another with the session key, by SDK, REST and command line; after expiry, after revocation and out of
 * scope refused, each with its own message.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { anchorSalt, type Client, ClientError, generateKeyPair, type Session, transfer } from '@slipstream/client';
import { eventually } from '@slipstream/devnet';
import { writeText } from '@slipstream/node-home';
import { to0x, toHex, utf8 } from '@slipstream/primitives';
import { type Action, type GrantableAction, readCredentialProof } from '@slipstream/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTwoChains, type TwoChains } from './two-chains.ts';

let chains: TwoChains;
let home: Client;
let target: Client;
const alice = generateKeyPair();
const shop = generateKeyPair();

beforeAll(async () => {
  chains = await startTwoChains(2);
  ({ home, target } = chains);
});

afterAll(() => chains?.remove());

const write: Action = { kind: 'setData', name: 'colour', value: utf8('blue') };
const pay = (amount: bigint) => transfer(shop.accountText, amount);

interface Wish {
  readonly actions?: readonly GrantableAction[];
  readonly lifeMs?: number;
  readonly on?: Client;
  readonly spendLimit?: bigint;
}

async function signIn({
  actions = ['transfer', 'setData'],
  lifeMs = 600_000,
  on = target,
  spendLimit = 500n,
}: Wish = {}) {
  const terms = { anchor: alice.account, anchorSalt: anchorSalt(alice), service: 'shop.example', actions, spendLimit };
  return home.session.grant({ ...terms, target: await on.genesisHash(), expiryMs: Date.now() + lifeMs }, alice);
}

async function refusal(act: Promise<unknown>): Promise<string> {
  const error = await act.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof ClientError)) throw new Error(`not refused: ${String(error)}`);
  return `${error.problem?.reason}: ${error.message}`;
}

async function submit(session: Session, actions: readonly Action[], form: 'credential' | 'hash' = 'credential') {
  return target.submit(target.session.sign(actions, session, { form }));
}

describe('certified sessions', () => {
  test('sign on another chain with the session key alone: with the credential, then by its hash', async () => {
    const session = await signIn();
    expect(session.credential.root?.key).toEqual(chains.identity.rootKey);
    await target.faucet(session.accountText, { amount: 1_000n, wait: 'final' });
    const first = await target.session.act([pay(100n), write], session);
    expect(first).toMatchObject({ status: 'final', receipt: { outcome: { status: 'success' } } });
    const second = await target.session.act([pay(200n)], session, { form: 'hash' });
    expect(second.status).toBe('final');
    expect((await target.account(shop.accountText)).balance).toBe('300');
    expect((await target.account(session.accountText)).balance).toBe('700');
    expect((await target.accountData(session.accountText, 'colour')).value).toBe(to0x(utf8('blue')));
    expect(await target.session.show(to0x(session.grantId))).toMatchObject({
      status: 'active',
      spent: '300',
      actsHere: true,
    });
    expect(await refusal(submit(session, [pay(201n)], 'hash'))).toMatch(/^session-spend-limit: .*limit does not cover/);
  });

  test('appear under one pseudonym at a service, another at the next, and never under the identity', async () => {
    const [one, again] = [await signIn(), await signIn()];
    expect(again.accountText).toBe(one.accountText);
    const terms = {
      anchor: alice.account,
      anchorSalt: anchorSalt(alice),
      spendLimit: 0n,
      actions: ['setData'] as const,
    };
    const other = await home.session.grant(
      { ...terms, service: 'bank.example', target: await target.genesisHash(), expiryMs: Date.now() + 60_000 },
      alice,
    );
    expect(other.accountText).not.toBe(one.accountText);
    for (const { credential } of [one, other]) {
      expect(JSON.stringify(await home.call('credential', { params: { id: to0x(one.grantId) } }))).not.toContain(
        alice.accountText.slice(4),
      );
      expect(toHex(credential.proof)).not.toContain(alice.accountText.slice(4));
    }
  });

  test('are refused out of scope, for another chain, and when forged, each with its own message', async () => {
    const narrow = await signIn({ actions: ['setData'] });
    expect(await refusal(submit(narrow, [write, pay(1n)]))).toMatch(/^session-out-of-scope: .*wider scope/);
    const elsewhere = await signIn({ on: home });
    const misled = { ...elsewhere, credential: { ...elsewhere.credential } };
    const signed = home.session.sign([write], misled);
    expect(await refusal(target.submit(signed))).toMatch(/^wrong-genesis/);
    const { proof } = narrow.credential;
    const cut = { ...narrow, credential: { ...narrow.credential, proof: proof.subarray(0, proof.length - 1) } };
    expect(await refusal(submit(cut, [write]))).toMatch(/^session-truncated-proof: .*incomplete/);
    const grant = { ...narrow.credential.grant, spendLimit: 9_999n };
    expect(await refusal(submit({ ...narrow, credential: { ...narrow.credential, grant } }, [write]))).toMatch(
      /^session-replayed-grant/,
    );
    expect(await refusal(submit(await signIn(), [write], 'hash'))).toMatch(
      /^session-unknown: .*credential itself, once/,
    );
  });

  test('are refused once they have expired', async () => {
    const session = await signIn({ lifeMs: 8_000 });
    expect((await target.session.act([write], session)).status).toBe('final');
    await sleep(Math.max(0, session.credential.grant.expiryMs - Date.now()) + 200);
    expect(await refusal(submit(session, [write]))).toMatch(/^session-expired: .*grant a new one/);
    expect(await refusal(submit(session, [write], 'hash'))).toMatch(/^session-expired/);
  });

  test('are refused once revoked, by the identity on its own chain or by themselves on the other', async () => {
    const own = await signIn({ on: home });
    expect((await home.session.act([write], own)).status).toBe('final');
    await home.session.revoke(alice.account, own.grantId, alice);
    expect(await refusal(home.submit(home.session.sign([write], own)))).toMatch(/^session-revoked: .*was revoked/);
    const session = await signIn();
    expect((await target.session.act([write], session)).status).toBe('final');
    const revoke: Action = { kind: 'revokeSession', owner: session.account, grantId: session.grantId };
    expect((await target.session.act([revoke], session, { form: 'hash' })).status).toBe('final');
    expect(await refusal(submit(session, [write]))).toMatch(/^session-revoked/);
  });

  test('are rate-limited: after a few false credentials an address waits, and other sessions work', async () => {
    const [honest, session] = [await signIn(), await signIn()];
    expect((await target.session.act([write], honest)).status).toBe('final');
    const flood = Array.from({ length: 100 }, (_, i) => target.session.sign([write], withFalseProof(session, i)).bytes);
    const answers = await Promise.all(flood.map((bytes) => codeOf(target.submit(bytes))));
    const judged = answers.filter((code) => code === 'invalid-transaction').length;
    expect(judged).toBeGreaterThan(0);
    expect(judged).toBeLessThanOrEqual(20);
    expect(answers.filter((code) => code === 'overloaded').length).toBe(100 - judged);
    expect((await target.session.act([write], honest)).status).toBe('final');
    expect((await target.session.act([write], honest, { form: 'hash' })).status).toBe('final');
  });

  test('reach one state through every validator', async () => {
    const session = await signIn();
    const view = await target.session.act([write], session);
    const height = view.height as number;
    const roots = await Promise.all(
      chains.network.nodes.map(({ client }) =>
        eventually('the block', 20_000, async () => (await client.block(height)).stateDigest),
      ),
    );
    expect(new Set(roots).size).toBe(1);
  });

  test('work from the command line', async () => {
    const key = join(chains.folder, 'alice.key');
    const file = join(chains.folder, 'session.json');
    await writeText(key, `${toHex(alice.secret)}\n`, { secret: true });
    const grant = [
      'session',
      'grant',
      '--key',
      key,
      '--service',
      'cli.example',
      '--actions',
      'setData',
      '--target',
      target.url,
    ];
    expect(await cli(...grant, '--out', file, '--url', home.url)).toMatchObject({ code: 0 });
    const use = ['session', 'use', '--session', file, '--data', 'n=v', '--url', target.url];
    expect(await cli(...use)).toMatchObject({ code: 0, out: expect.stringContaining('final') });
    expect(await cli(...use, '--form', 'hash')).toMatchObject({ code: 0 });
    const spend = ['session', 'use', '--session', file, '--to', shop.accountText, '--amount', '1', '--url', target.url];
    expect(await cli(...spend)).toMatchObject({ code: 1, err: expect.stringContaining('wider scope') });
    expect(await cli('session', 'revoke', '--session', file, '--url', target.url)).toMatchObject({ code: 0 });
    expect(await cli(...use)).toMatchObject({ code: 1, err: expect.stringContaining('was revoked') });
  });
});

/** Flips a bit in the signature over the state, so that only that last check fails. */
function withFalseProof(session: Session, nth: number): Session {
  const aggregate = readCredentialProof(session.credential.proof)?.certificate.aggregate as Uint8Array;
  const at = toHex(session.credential.proof).indexOf(toHex(aggregate)) / 2;
  const proof = session.credential.proof.slice();
  proof[at + 40 + (nth >> 3)] = (proof[at + 40 + (nth >> 3)] as number) ^ (1 << (nth & 7));
  return { ...session, credential: { ...session.credential, proof } };
}

async function codeOf(submitted: Promise<unknown>): Promise<string> {
  try {
    await submitted;
    return 'accepted';
  } catch (error) {
    return error instanceof ClientError ? error.code : String(error);
  }
}

async function cli(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const main = join(import.meta.dirname, '../../apps/node/bin/main.mjs');
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, ...words]);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as {
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    };
    return { code, out: stdout, err: stderr };
  }
}
