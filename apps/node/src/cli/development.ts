import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, keyPairFrom } from '@slipstream/client';
import { DATA, HOME, readSecret } from '@slipstream/node-home';
import { to0x } from '@slipstream/primitives';
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import type { RunningNode } from '../assembly/running-node.ts';
import { NodeError } from '../errors.ts';
import { DEVELOPMENT_TERMS } from './development-terms.ts';

export const DEVELOPMENT_FOLDER = '.slipstream/dev';
const DEVELOPMENT_VALIDATOR = 'validator-0';
const API_PORT = 8080;

/** Creates a missing chain; returns the validator's folder. */
export async function ensureDevelopmentChain(folder: string): Promise<string> {
  const home = join(folder, DEVELOPMENT_VALIDATOR);
  if (existsSync(join(home, HOME.config))) return home;
  if (existsSync(join(home, HOME.data, DATA.ledger))) {
    const message = `${home} has data and no ${HOME.config}: restore it, or remove ${folder} to begin with a new chain`;
    throw new NodeError('home-incomplete', message, { home });
  }
  const { initChain } = await import('@slipstream/node-home/chain');
  const { createRandom } = await import('@slipstream/platform');
  await initChain(createRandom(), {
    out: folder,
    ...DEVELOPMENT_TERMS,
    apiPort: API_PORT,
    distilled: DISTILLED_DEFAULTS,
    timestampMs: Date.now(),
  });
  return home;
}

const READY_MS_MAX = 60_000;
const READY_POLL_MS = 50;

/** Throws when the node does not serve requests in time. */
export async function waitUntilReady(url: string, signal: AbortSignal): Promise<void> {
  const client = createClient({ url });
  const deadline = performance.now() + READY_MS_MAX;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      await client.call('readyz', { signal });
      return;
    } catch (error) {
      if (signal.aborted) return;
      last = error;
      await sleep(READY_POLL_MS);
    }
  }
  const reason = last instanceof Error ? last.message : String(last);
  throw new NodeError('node-failed', `the node is not ready after ${READY_MS_MAX / 1000} s: ${reason}`);
}

export async function developmentBanner(node: RunningNode, url: string, home: string): Promise<string> {
  const faucet = keyPairFrom(await readSecret(join(home, HOME.faucetKey), 'secret of the faucet account'));
  const fresh = keyPairFrom(crypto.getRandomValues(new Uint8Array(32)));
  return [
    '',
    '  Slipstream: a development chain with one validator. Nothing on it has any value.',
    '',
    `  Console     ${url}`,
    `  Interface   ${url}/docs`,
    `  Chain       ${node.genesis.chain}, genesis ${to0x(node.genesisHash)}`,
    `  Folder      ${home}`,
    '',
    '  A funded key, for development only:',
    `    account   ${faucet.accountText}`,
    `    secret    ${to0x(faucet.secret)}`,
    '',
    '  Pay a new account, and get its final receipt with the proof:',
    '',
    `curl -sS '${url}/v1/faucet?wait=final' -H 'content-type: application/json' -d '{"account":"${fresh.accountText}"}'`,
    '',
    '  Check the answer with nothing but the genesis file (add "> answer.json" to the line above):',
    `    npm run -s slipstream -- tx verify-proof answer.json --genesis ${join(home, HOME.genesis)}`,
    '',
    '  Ctrl-C stops the node; the next start goes on with the same chain.',
    '',
  ].join('\n');
}
