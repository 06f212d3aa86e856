/**
 * Makes a chain: a genesis and a home folder for each node.
 *
 *   <out>/genesis.json  <out>/faucet.key (development chains)
 *   <out>/validator-0/  config.yaml, genesis.json, keys/    ...    <out>/full-node-0/ ...
 */
import { join } from 'node:path';
import {
  checkProofOfPossession,
  createBlsSigner,
  ed25519PublicKey,
  encryptKeystore,
  generateBlsSecretKey,
} from '@slipstream/crypto/native';
import { FREE_FEES, METERED_FEES } from '@slipstream/execution';
import { identityFromSeed } from '@slipstream/network';
import type { Random } from '@slipstream/ports';
import { assert, toHex } from '@slipstream/primitives';
import { DEFAULT_PARAMETERS } from '@slipstream/state';
import { ed25519Account, type Genesis, type GenesisMember } from '@slipstream/types';
import { configFile } from '../config/load.ts';
import { genesisText, writeText } from './files.ts';
import { HOME } from './layout.ts';

export interface InitOptions {
  readonly out: string;
  readonly chain: string;
  readonly validators: number;
  readonly fullNodes: number;
  /** One a validator; all 1 when missing. */
  readonly weights?: readonly number[];
  readonly development: boolean;
  /** Node i listens on networkPort + i, and serves its API on apiPort + i. */
  readonly host: string;
  readonly networkPort: number;
  readonly apiPort: number;
  readonly apiHost: string;
  /** How node i is reached by the others; default `host:port`. */
  readonly addressOf?: (index: number) => string;
  readonly preset: 'local' | 'wan';
  readonly fees: 'free' | 'metered';
  readonly generatedAccounts: number;
  readonly timestampMs: number;
}

export interface InitializedNode {
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

/** The faucet's account holds this much: enough for any test, far below 2^64. */
const FAUCET_BALANCE = 10n ** 18n;
const GENERATED_BALANCE = 1_000_000_000n;
const SECRET_BYTES = 32;

interface NodeKeys {
  readonly bls: { readonly secret: Uint8Array; readonly publicKey: Uint8Array; readonly proof: Uint8Array } | undefined;
  readonly peerSeed: Uint8Array;
  readonly peerKey: GenesisMember['peerKey'];
}

function makeKeys(random: Random, validates: boolean): NodeKeys {
  const peerSeed = random.bytes(SECRET_BYTES);
  const { peer } = identityFromSeed(peerSeed);
  if (!validates) return { bls: undefined, peerSeed, peerKey: peer };
  const secret = generateBlsSecretKey(random.bytes(SECRET_BYTES));
  const signer = createBlsSigner(secret);
  const proof = signer.proveOwnership();
  assert(checkProofOfPossession(signer.publicKey, proof), 'a fresh key proves its possession');
  return { bls: { secret, publicKey: signer.publicKey, proof }, peerSeed, peerKey: peer };
}

export async function initChain(random: Random, options: InitOptions): Promise<InitializedChain> {
  const count = options.validators + options.fullNodes;
  const keys = Array.from({ length: count }, (_, index) => makeKeys(random, index < options.validators));
  const faucetSecret = options.development ? random.bytes(SECRET_BYTES) : undefined;
  const genesis = makeGenesis(random, options, keys, faucetSecret);
  const text = genesisText(genesis);
  await writeText(join(options.out, HOME.genesis), text);
  const nodes = await Promise.all(
    keys.map((key, index) => writeHome(random, options, keys, key, index, text, faucetSecret)),
  );
  return { genesis, nodes, faucetSecret };
}

function makeGenesis(
  random: Random,
  options: InitOptions,
  keys: readonly NodeKeys[],
  faucetSecret: Uint8Array | undefined,
): Genesis {
  const members = keys.flatMap(({ bls, peerKey }, index): GenesisMember[] =>
    bls
      ? [{ weight: options.weights?.[index] ?? 1, blsPublicKey: bls.publicKey, proofOfPossession: bls.proof, peerKey }]
      : [],
  );
  const faucet = faucetSecret && { account: ed25519Account(ed25519PublicKey(faucetSecret)), balance: FAUCET_BALANCE };
  return {
    chain: options.chain,
    timestampMs: options.timestampMs,
    development: options.development,
    members,
    allocations: faucet ? [faucet] : [],
    generated: {
      seed: random.bytes(SECRET_BYTES),
      count: options.generatedAccounts,
      balance: options.generatedAccounts > 0 ? GENERATED_BALANCE : 0n,
    },
    fees: options.fees === 'free' ? FREE_FEES : METERED_FEES,
    state: DEFAULT_PARAMETERS,
    trustedIssuers: [],
  };
}

async function writeHome(
  random: Random,
  options: InitOptions,
  keys: readonly NodeKeys[],
  { bls, peerSeed, peerKey }: NodeKeys,
  index: number,
  genesis: string,
  faucetSecret: Uint8Array | undefined,
): Promise<InitializedNode> {
  const name = bls ? `validator-${index}` : `full-node-${index - options.validators}`;
  const home = join(options.out, name);
  const address = options.addressOf ?? ((of: number) => `${options.host}:${options.networkPort + of}`);
  const peers = keys.flatMap((key, of) => (of !== index && key.bls ? [`${key.peerKey}@${address(of)}`] : []));
  const apiPort = options.apiPort + index;
  const networkPort = options.networkPort + index;
  await writeText(join(home, HOME.genesis), genesis);
  await writeText(join(home, HOME.peerSeed), `${toHex(peerSeed)}\n`, { secret: true });
  await writeText(join(home, HOME.adminToken), `${toHex(random.bytes(SECRET_BYTES))}\n`, { secret: true });
  if (bls) {
    const password = toHex(random.bytes(SECRET_BYTES));
    const keystore = encryptKeystore({
      secret: bls.secret,
      password,
      publicKey: bls.publicKey,
      description: `${options.chain} ${name}`,
      random,
    });
    await writeText(join(home, HOME.blsKeystore), keystore, { secret: true });
    await writeText(join(home, HOME.blsPassword), `${password}\n`, { secret: true });
  }
  if (faucetSecret) await writeText(join(home, HOME.faucetKey), `${toHex(faucetSecret)}\n`, { secret: true });
  const config = configFile({
    name,
    genesis: HOME.genesis,
    ...(bls ? { 'keys.bls': HOME.blsKeystore, 'keys.blsPassword': HOME.blsPassword } : {}),
    'keys.peer': HOME.peerSeed,
    'network.listen': `${options.host}:${networkPort}`,
    'network.peers': peers,
    'api.host': options.apiHost,
    'api.port': apiPort,
    'api.adminTokenFile': HOME.adminToken,
    'consensus.preset': options.preset,
    ...(faucetSecret ? { 'development.faucetKey': HOME.faucetKey } : {}),
  });
  await writeText(join(home, HOME.config), config);
  return { name, home, apiPort, networkPort, peerKey };
}
