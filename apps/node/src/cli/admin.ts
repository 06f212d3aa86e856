import { resolve } from 'node:path';
import type { Client } from '@slipstream/client';
import { inFolder, type Terminal, text } from '@slipstream/command-line';
import { ADMIN_TOKEN, readText } from '@slipstream/node-home';
import { NodeError } from '../errors.ts';
import { clientOf } from './node-url.ts';
import { configOf } from './places.ts';

const TOKEN_VARIABLE = 'SLIPSTREAM_ADMIN_TOKEN';

export const adminOptions = {
  home: text('DIR', "The node's folder: its admin token is read there, and without --url where it serves."),
  'token-file': text('FILE', `File with the admin token. Default: --home, then ${TOKEN_VARIABLE}.`),
} as const;

interface TokenPlaces {
  readonly home: string | undefined;
  readonly 'token-file': string | undefined;
}

export async function adminClient(
  options: TokenPlaces & { readonly url: string | undefined },
  terminal: Terminal,
): Promise<Client> {
  return clientOf(options, terminal, await adminToken(options, terminal));
}

export async function adminToken(options: TokenPlaces, terminal: Terminal): Promise<string> {
  const file = options['token-file'] ?? (await tokenFileOf(options.home, terminal));
  const given =
    file === undefined ? terminal.environment[TOKEN_VARIABLE] : await readText(inFolder(terminal, file), 'token');
  const token = given?.trim();
  if (token !== undefined && ADMIN_TOKEN.test(token)) return token;
  if (token !== undefined) {
    const from = file ?? TOKEN_VARIABLE;
    throw new NodeError('usage', `${from} holds no admin token: 1 to 256 visible ASCII characters without spaces`);
  }
  throw new NodeError(
    'usage',
    `the node asks for its admin token: give --home DIR, --token-file FILE or ${TOKEN_VARIABLE}`,
  );
}

async function tokenFileOf(home: string | undefined, terminal: Terminal): Promise<string | undefined> {
  if (home === undefined) return undefined;
  const folder = inFolder(terminal, home);
  const { 'api.adminTokenFile': file } = await configOf(folder, terminal);
  if (file === '')
    throw new NodeError('home-incomplete', `${folder} has no admin token: set api.adminTokenFile`, { home });
  return resolve(folder, file);
}
