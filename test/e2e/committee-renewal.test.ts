/**
 * The committee certificate expires and is renewed offline, by the guide's commands (docs/operators/renew-the-committee-certificate.md).
 */
import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { anchorSalt, type Client, type ClientError, generateKeyPair, openSession } from '@slipstream/client';
import { HOME, ROOT } from '@slipstream/node-home';
import { to0x, utf8 } from '@slipstream/primitives';
import type { Action } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTwoChains, type TwoChains } from './two-chains.ts';

let chains: TwoChains;
let home: Client;
let target: Client;
const alice = generateKeyPair();
const write: Action = { kind: 'setData', name: 'colour', value: utf8('blue') };

beforeAll(async () => {
  chains = await startTwoChains(1);
  ({ home, target } = chains);
});

afterAll(() => chains?.remove());

/** Signs with the root key, copies into the home, restarts. */
async function certify(...options: readonly string[]): Promise<string> {
  const { cluster } = chains.identity;
  const chain = cluster.folder;
  const file = join(chain, HOME.committeeCertificate);
  const said = await cli(
    ...['keys', 'certify-committee', '--genesis', join(chain, HOME.genesis), '--out', file],
    ...['--keystore', join(chain, ROOT.keystore), '--password-file', join(chain, ROOT.password), ...options],
  );
  const [node] = cluster.nodes;
  await copyFile(file, join(node?.home as string, HOME.committeeCertificate));
  await cluster.kill();
  await cluster.start();
  return said;
}

async function cli(...words: readonly string[]): Promise<string> {
  const main = join(import.meta.dirname, '../../apps/node/bin/main.mjs');
  return (await promisify(execFile)(process.execPath, [main, ...words])).stdout;
}

async function signIn() {
  const terms = { anchor: alice.account, anchorSalt: anchorSalt(alice), service: 'shop.example', spendLimit: 0n };
  const limits = { actions: ['setData'] as const, expiryMs: Date.now() + 600_000 };
  return home.session.grant({ ...terms, ...limits, target: await target.genesisHash() }, alice);
}

async function untilPast(timeMs = 0): Promise<void> {
  while (Date.now() <= timeMs) await sleep(timeMs + 1 - Date.now());
}

test('new sessions are refused after the certificate expired until it is renewed; known ones stay valid', async () => {
  const before = await signIn();
  expect((await target.session.act([write], before)).status).toBe('final');

  await certify('--expires-in', '1');
  const late = await signIn();
  await untilPast((await home.session.credential(to0x(late.grantId))).root?.expiryMs);
  const refused = await target.session.act([write], late).catch((error: unknown) => error);
  expect((refused as ClientError).problem?.reason).toBe('session-committee-expired');
  expect((await target.session.act([write], before)).status).toBe('final');

  expect(await certify()).toContain('1 member, until');
  const credential = await home.session.credential(to0x(late.grantId));
  expect(credential.root?.expiryMs).toBeGreaterThan(Date.now() + 300 * 24 * 3600 * 1000);
  expect((await target.session.act([write], openSession(late.key, credential))).status).toBe('final');
});

test('the committee is certified by its own chain’s root key alone', async () => {
  const { folder, identity, network } = chains;
  const other = network.folder;
  const wrong = cli(
    ...['keys', 'certify-committee', '--genesis', join(identity.cluster.folder, HOME.genesis)],
    ...['--keystore', join(other, ROOT.keystore), '--password-file', join(other, ROOT.password)],
    ...['--out', join(folder, 'never')],
  );
  await expect(wrong).rejects.toMatchObject({
    stderr: expect.stringContaining('is not the root key of chain identity'),
  });
});
