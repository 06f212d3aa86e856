/**
 * Makes a chain: a genesis and a home folder for each node, with all keys.
 *
 *   <out>/genesis.json  <out>/root.keystore.json, root.password (keep offline)
 *   <out>/validator-0/  config.yaml, genesis.json, keys/    ...    <out>/full-node-0/ ...
 */
import { join } from 'node:path';
import { ed25519PublicKey } from '@slipstream/crypto/native';
import type { Random } from '@slipstream/ports';
import { fromHex, toHex } from '@slipstream/primitives';
import { ed25519Account, type Genesis, type GenesisMember } from '@slipstream/types';
import { writeText } from './files.ts';
import { type ChainTerms, type FoundedChain, foundChain } from './found-chain.ts';
import { HOME, nodeNames } from './layout.ts';
import { writeNodeConfig } from './node-config.ts';
import {
  BLS_PLACES,
  makeKeys,
  type NodeKeys,
  SECRET_BYTES,
  writeAdminToken,
  writeKeystore,
  writePeerSeed,
} from './node-keys.ts';

export interface InitOptions extends ChainTerms {
  readonly out: string;
  readonly validators: number;
  readonly fullNodes: number;
  /** One per validator; all 1 when missing. */
  readonly weights?: readonly number[];
  readonly development: boolean;
  /** Node i listens on networkPort + i, and serves its API on apiPort + i. */
  readonly host: string;
  readonly networkPort: number;
  readonly apiPort: number;
  readonly apiHost: string;
  /** Address of node i for the others; default `host:port`. */
  readonly addressOf?: (index: number) => string;
  /** For nodes on separate machines: each listens on this port, on every interface. */
  readonly ownPort?: number;
}

interface InitializedNode {
  readonly name: string;
  readonly home: string;
  readonly apiPort: number;
  readonly networkPort: number;
  readonly peerKey: string;
}

export interface InitializedChain {
  readonly genesis: Genesis;
  readonly nodes: readonly InitializedNode[];
  /** Secret of the account that holds the supply; development chains only. */
  readonly faucetSecret: Uint8Array | undefined;
}

const EVERY_INTERFACE = '0.0.0.0';
/** Of a node's own account: for more reports than a development chain sees. */
const ACCOUNT_BALANCE = 10n ** 15n;

/** Overwrites files, so that an interrupted call can be repeated. `reportProgress` is called with the number of written homes and the total. */
export async function initChain(
  random: Random,
  options: InitOptions,
  reportProgress: (done: number, total: number) => void = () => {},
): Promise<InitializedChain> {
  const count = options.validators + options.fullNodes;
  const keys = Array.from({ length: count }, (_, index) => makeKeys(random, index < options.validators));
  const faucetSecret = options.development ? random.bytes(SECRET_BYTES) : undefined;
  const accounts = options.development ? keys.map(() => random.bytes(SECRET_BYTES)) : [];
  const terms = { ...options, allocations: [...(options.allocations ?? []), ...fundedAccounts(options, accounts)] };
  const founded = await foundChain(random, options.out, terms, membersOf(options, keys), faucetSecret);
  const names = nodeNames(options.validators, options.fullNodes);
  // One after the other: each blocks the thread for a moment, so that concurrent ones would report all at the end.
  const nodes: InitializedNode[] = [];
  for (const [index, name] of names.entries()) {
    nodes.push(
      await writeHome(random, options, keys, { name, index }, founded, {
        faucet: faucetSecret,
        account: accounts[index],
      }),
    );
    reportProgress(nodes.length, keys.length);
  }
  return { genesis: founded.genesis, nodes, faucetSecret };
}

/** Of the nodes of a development chain, where fees are charged. */
function fundedAccounts({ fees }: InitOptions, secrets: readonly Uint8Array[]): Genesis['allocations'] {
  if (fees === 'free') return [];
  return secrets.map((secret) => ({ account: ed25519Account(ed25519PublicKey(secret)), balance: ACCOUNT_BALANCE }));
}

/** Of development chains. */
interface AccountSecrets {
  readonly faucet: Uint8Array | undefined;
  readonly account: Uint8Array | undefined;
}

function membersOf(options: InitOptions, keys: readonly NodeKeys[]): readonly GenesisMember[] {
  const names = nodeNames(options.validators, options.fullNodes);
  return keys.flatMap(({ bls, peerKey }, index): GenesisMember[] => {
    if (bls === undefined) return [];
    const account = ed25519Account(fromHex(peerKey));
    return [
      {
        name: names[index] as string,
        weight: options.weights?.[index] ?? 1,
        blsPublicKey: bls.publicKey,
        proofOfPossession: bls.proof,
        peerKey,
        address: addressOf(options, index),
        operator: account,
        feeAccount: account,
      },
    ];
  });
}

function addressOf({ addressOf: named, host, networkPort }: InitOptions, index: number): string {
  return named?.(index) ?? `${host}:${networkPort + index}`;
}

async function writeHome(
  random: Random,
  options: InitOptions,
  keys: readonly NodeKeys[],
  { name, index }: { readonly name: string; readonly index: number },
  founded: FoundedChain,
  secrets: AccountSecrets,
): Promise<InitializedNode> {
  const { bls, peerSeed, peerKey } = keys[index] as NodeKeys;
  const home = join(options.out, name);
  const peers = keys.flatMap((key, of) =>
    of !== index && key.bls ? [`${key.peerKey}@${addressOf(options, of)}`] : [],
  );
  const reserved = keys.flatMap((key, of) => (of !== index && !key.bls ? [key.peerKey] : []));
  const apiPort = options.apiPort + index;
  const networkPort = options.ownPort ?? options.networkPort + index;
  await writePeerSeed(home, peerSeed);
  await writeAdminToken(random, home);
  if (bls) await writeKeystore(random, home, BLS_PLACES, bls.secret, `${options.chain} ${name}`);
  if (secrets.faucet) await writeText(join(home, HOME.faucetKey), `${toHex(secrets.faucet)}\n`, { secret: true });
  if (secrets.account) await writeText(join(home, HOME.accountKey), `${toHex(secrets.account)}\n`, { secret: true });
  const place = {
    name,
    validates: bls !== undefined,
    listen: `${options.ownPort === undefined ? options.host : EVERY_INTERFACE}:${networkPort}`,
    peers,
    reserved,
    apiPort,
    apiHost: options.apiHost,
    preset: options.preset,
    faucet: secrets.faucet !== undefined,
    account: secrets.account !== undefined,
  };
  await writeNodeConfig(home, place, founded);
  return { name, home, apiPort, networkPort, peerKey };
}
