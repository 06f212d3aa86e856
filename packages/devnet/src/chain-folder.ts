/** The folder of a network: created once, continued by later starts. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identityFromSeed } from '@slipstream/network';
import { HOME, loadConfig, readSecret } from '@slipstream/node-home';
import { type InitOptions, initChain } from '@slipstream/node-home/chain';
import { createRandom } from '@slipstream/platform';

export interface NodeFolder {
  readonly name: string;
  readonly home: string;
  /** Index in the committee; undefined for a full node. */
  readonly validator: number | undefined;
  /** 64 hexadecimal digits. */
  readonly peerKey: string;
  readonly networkPort: number;
  readonly apiPort: number;
}

export interface ChainShape {
  readonly validators: number;
  readonly fullNodes: number;
  /** Node i uses basePort + i and apiPort + i. */
  readonly basePort: number;
  readonly apiPort: number;
  readonly fees?: InitOptions['fees'];
  /** Generated accounts, for which a load generator signs. Default: none. */
  readonly generatedAccounts?: number;
  /** Default: no account directory, so no distilled batches. */
  readonly distilled?: InitOptions['distilled'];
  /** Default: none. */
  readonly applications?: InitOptions['applications'];
  /** Default: devnet. */
  readonly chain?: string;
  /** Root keys of other chains whose sessions this one accepts. */
  readonly trustedIssuers?: readonly Uint8Array[];
}

export function holdsChain(folder: string): boolean {
  return existsSync(join(folder, HOME.genesis));
}

export async function makeChain(folder: string, shape: ChainShape): Promise<void> {
  await initChain(createRandom(), {
    out: folder,
    chain: shape.chain ?? 'devnet',
    validators: shape.validators,
    fullNodes: shape.fullNodes,
    development: true,
    host: '127.0.0.1',
    networkPort: shape.basePort,
    apiPort: shape.apiPort,
    apiHost: '127.0.0.1',
    preset: 'local',
    fees: shape.fees ?? 'free',
    generatedAccounts: shape.generatedAccounts ?? 0,
    ...(shape.distilled && { distilled: shape.distilled }),
    ...(shape.applications && { applications: shape.applications }),
    ...(shape.trustedIssuers && { trustedIssuers: shape.trustedIssuers }),
    timestampMs: Date.now(),
  });
}

export async function readChain(folder: string): Promise<readonly NodeFolder[]> {
  const names = (await readdir(folder)).filter((name) => /^(validator|full-node)-[0-9]+$/.test(name));
  const nodes = await Promise.all(names.map((name) => readNode(folder, name)));
  const rank = ({ validator, apiPort }: NodeFolder) => (validator === undefined ? 1e6 : 0) + apiPort;
  return nodes.toSorted((a, b) => rank(a) - rank(b));
}

async function readNode(folder: string, name: string): Promise<NodeFolder> {
  const home = join(folder, name);
  const path = join(home, HOME.config);
  const config = loadConfig({ file: { path, text: await readFile(path, 'utf8') }, environment: {}, flags: new Map() });
  const seed = await readSecret(join(home, config['keys.peer']), 'seed of a network key');
  return {
    name,
    home,
    validator: config['keys.bls'] === '' ? undefined : Number(name.split('-').at(-1)),
    peerKey: identityFromSeed(seed).peer,
    networkPort: Number(config['network.listen'].split(':').at(-1)),
    apiPort: config['api.port'],
  };
}
