/**
 * Makes a chain: a genesis and a home folder for each node.
 *
 *   <out>/genesis.json  <out>/root.keystore.json, root.password (keep offline)
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
import { certifyCommittee } from './committee-certificate.ts';
import { genesisText, writeText } from './files.ts';
import { HOME, nodeNames, ROOT } from './layout.ts';

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
  /** Nodes are on machines of their own: each listens there on this port, to whoever reaches it. */
  readonly ownPort?: number;
  readonly preset: 'local' | 'wan';
  readonly fees: 'free' | 'metered';
  readonly generatedAccounts: number;
  /** What accounts own from the first block on; beside the faucet's and the generated ones. None when missing. */
  readonly allocations?: Genesis['allocations'];
  readonly timestampMs: number;
  /** Root keys of other chains whose sessions this one accepts. */
  readonly trustedIssuers?: readonly Uint8Array[];
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

/** Long enough that nobody has to renew it by surprise, short enough that a lost root key ends. */
const COMMITTEE_CERTIFICATE_MS = 365 * 24 * 60 * 60 * 1000;

/** The faucet's account holds this much: enough for any test, far below 2^64. */
const FAUCET_BALANCE = 10n ** 18n;
const GENERATED_BALANCE = 1_000_000_000n;
const SECRET_BYTES = 32;
const EVERY_INTERFACE = '0.0.0.0';

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

/** Writes over what is there: a half-made chain is made again. `told` hears how many nodes have their folder, of how many. */
export async function initChain(
  random: Random,
  options: InitOptions,
  told: (done: number, total: number) => void = () => {},
): Promise<InitializedChain> {
  const count = options.validators + options.fullNodes;
  const keys = Array.from({ length: count }, (_, index) => makeKeys(random, index < options.validators));
  const faucetSecret = options.development ? random.bytes(SECRET_BYTES) : undefined;
  const rootSecret = generateBlsSecretKey(random.bytes(SECRET_BYTES));
  const root = createBlsSigner(rootSecret);
  const genesis = makeGenesis(random, options, keys, { faucetSecret, rootKey: root.publicKey });
  const text = genesisText(genesis);
  await writeText(join(options.out, HOME.genesis), text);
  await writeKeystore(random, options.out, ROOT, rootSecret, `${options.chain} root`);
  const certificate = certifyCommittee(root, genesis, options.timestampMs + COMMITTEE_CERTIFICATE_MS);
  const files = { genesis: text, certificate, faucetSecret };
  const names = nodeNames(options.validators, options.fullNodes);
  // One after the other: each keeps the thread busy for a moment, so that together they would all be done at the end.
  const nodes: InitializedNode[] = [];
  for (const [index, name] of names.entries()) {
    nodes.push(await writeHome(random, options, keys, { name, index }, files));
    told(nodes.length, keys.length);
  }
  return { genesis, nodes, faucetSecret };
}

function makeGenesis(
  random: Random,
  options: InitOptions,
  keys: readonly NodeKeys[],
  { faucetSecret, rootKey }: { readonly faucetSecret: Uint8Array | undefined; readonly rootKey: Uint8Array },
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
    allocations: [...(faucet ? [faucet] : []), ...(options.allocations ?? [])],
    generated: {
      seed: random.bytes(SECRET_BYTES),
      count: options.generatedAccounts,
      balance: options.generatedAccounts > 0 ? GENERATED_BALANCE : 0n,
    },
    fees: options.fees === 'free' ? FREE_FEES : METERED_FEES,
    state: DEFAULT_PARAMETERS,
    trustedIssuers: [rootKey, ...(options.trustedIssuers ?? [])],
  };
}

interface ChainFiles {
  readonly genesis: string;
  /** Undefined for a committee too large to travel in credentials. */
  readonly certificate: string | undefined;
  readonly faucetSecret: Uint8Array | undefined;
}

async function writeKeystore(
  random: Random,
  folder: string,
  places: { readonly keystore: string; readonly password: string },
  secret: Uint8Array,
  description: string,
): Promise<void> {
  const password = toHex(random.bytes(SECRET_BYTES));
  const { publicKey } = createBlsSigner(secret);
  const keystore = encryptKeystore({ secret, password, passwordIs: 'random', publicKey, description, random });
  await writeText(join(folder, places.keystore), keystore, { secret: true });
  await writeText(join(folder, places.password), `${password}\n`, { secret: true });
}

async function writeHome(
  random: Random,
  options: InitOptions,
  keys: readonly NodeKeys[],
  { name, index }: { readonly name: string; readonly index: number },
  { genesis, certificate, faucetSecret }: ChainFiles,
): Promise<InitializedNode> {
  const { bls, peerSeed, peerKey } = keys[index] as NodeKeys;
  const home = join(options.out, name);
  const address = options.addressOf ?? ((of: number) => `${options.host}:${options.networkPort + of}`);
  const peers = keys.flatMap((key, of) => (of !== index && key.bls ? [`${key.peerKey}@${address(of)}`] : []));
  const reserved = keys.flatMap((key, of) => (of !== index && !key.bls ? [key.peerKey] : []));
  const apiPort = options.apiPort + index;
  const networkPort = options.ownPort ?? options.networkPort + index;
  await writeText(join(home, HOME.genesis), genesis);
  await writeText(join(home, HOME.peerSeed), `${toHex(peerSeed)}\n`, { secret: true });
  await writeText(join(home, HOME.adminToken), `${toHex(random.bytes(SECRET_BYTES))}\n`, { secret: true });
  if (certificate !== undefined) await writeText(join(home, HOME.committeeCertificate), certificate);
  const places = { keystore: HOME.blsKeystore, password: HOME.blsPassword };
  if (bls) await writeKeystore(random, home, places, bls.secret, `${options.chain} ${name}`);
  if (faucetSecret) await writeText(join(home, HOME.faucetKey), `${toHex(faucetSecret)}\n`, { secret: true });
  const config = configFile({
    name,
    genesis: HOME.genesis,
    ...(bls ? { 'keys.bls': HOME.blsKeystore, 'keys.blsPassword': HOME.blsPassword } : {}),
    ...(certificate === undefined ? {} : { 'sessions.committeeCertificate': HOME.committeeCertificate }),
    'keys.peer': HOME.peerSeed,
    'network.listen': `${options.ownPort === undefined ? options.host : EVERY_INTERFACE}:${networkPort}`,
    'network.peers': peers,
    ...(reserved.length > 0 ? { 'network.reserved': reserved } : {}),
    'api.host': options.apiHost,
    'api.port': apiPort,
    'api.adminTokenFile': HOME.adminToken,
    'consensus.preset': options.preset,
    ...(faucetSecret ? { 'development.faucetKey': HOME.faucetKey } : {}),
  });
  await writeText(join(home, HOME.config), config);
  return { name, home, apiPort, networkPort, peerKey };
}
