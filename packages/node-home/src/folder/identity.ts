/** The node's keys, and the validator that a record names for them. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkProofOfPossession, createBlsSigner } from '@slipstream/crypto/native';
import { identityFromSeed } from '@slipstream/network';
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  type Committee,
  type CommitteeCertificate,
  committeeOf,
  type Genesis,
  type GenesisHash,
  genesisHashOf,
  type RecordMember,
  recordOfGenesis,
} from '@slipstream/types';
import { CONFIG_KEYS, type Config, type ConfigKey } from '../config/keys.ts';
import { HomeError } from '../errors.ts';
import { requireApplications } from './applications.ts';
import { readAccepted } from './artifact-files.ts';
import { checkCommitteeCertificate, parseCommitteeCertificate } from './committee-certificate.ts';
import { readGenesis, readSecret, readText } from './files.ts';
import { genesisFaults } from './genesis-faults.ts';
import { HOME } from './layout.ts';
import { readBlsKey } from './node-keys.ts';

interface NetworkKey {
  /** 32 bytes. */
  readonly seed: Uint8Array;
  readonly peer: PeerKey;
}

export interface BlsKey {
  /** 32 bytes. */
  readonly secret: Uint8Array;
  /** 48 bytes. */
  readonly publicKey: Uint8Array;
}

export interface Identity {
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  /** Artifacts, in the order of genesis. */
  readonly applications: readonly Uint8Array[];
  /** Artifacts for upgrades. */
  readonly accepted: readonly Uint8Array[];
  /** Of genesis. */
  readonly committee: Committee;
  /** The configured one, then that of a rotation. */
  readonly networkKeys: readonly NetworkKey[];
  /** None on a node that only follows; then as the network keys. */
  readonly blsKeys: readonly BlsKey[];
  /** Of the network key in use. */
  readonly peerSeed: Uint8Array;
  readonly peer: PeerKey;
  /** The root key's certificate of the committee; undefined: other chains accept no sessions of this one. */
  readonly committeeCertificate: CommitteeCertificate | undefined;
  /** By the newest record known at the start; undefined: this node follows. */
  readonly validator: { readonly index: number; readonly secretKey: Uint8Array } | undefined;
}

/** By the record of genesis. Throws HomeError `home-incomplete`, `key-mismatch`, `application-missing`, `application-differs`, or `config-invalid` for settings of development chains. */
export async function loadIdentity(home: string, config: Config): Promise<Identity> {
  const path = resolve(home, config.genesis);
  const genesis = await readGenesis(path);
  refuseUnsound(genesis, path);
  refuseDevelopment(config, genesis);
  checkPossession(genesis);
  const applications = await requireApplications(home, genesis);
  const accepted = await readAccepted(home);
  const committee = committeeOf(genesis);
  const networkKeys = await readNetworkKeys(home, config);
  const blsKeys = await readBlsKeys(home, config);
  const genesisHash = genesisHashOf(genesis);
  const committeeCertificate = await readCommitteeCertificate(home, config, { genesisHash, committee });
  const { seed: peerSeed, peer } = networkKeys[0] as NetworkKey;
  const of = {
    genesis,
    genesisHash,
    applications,
    accepted,
    committee,
    networkKeys,
    blsKeys,
    peerSeed,
    peer,
    committeeCertificate,
  };
  return identityIn(recordOfGenesis(genesis), { ...of, validator: undefined });
}

/** Of a record: the keys of its members. */
export interface BoundKeys {
  readonly epoch: number;
  readonly members: readonly Pick<RecordMember, 'blsPublicKey' | 'peerKey'>[];
}

/** The network key that the record names for one of the BLS keys is in use; else the configured one. */
export function identityIn(record: BoundKeys, identity: Identity): Identity {
  const { networkKeys, blsKeys } = identity;
  const index = memberIn(record, identity);
  const member = index === undefined ? undefined : record.members[index];
  const bls = member && blsKeys.find(({ publicKey }) => bytesEqual(publicKey, member.blsPublicKey));
  const used = networkKeys.find(({ peer }) => peer === member?.peerKey) ?? (networkKeys[0] as NetworkKey);
  return {
    ...identity,
    peerSeed: used.seed,
    peer: used.peer,
    validator: index === undefined || bls === undefined ? undefined : { index, secretKey: bls.secret },
  };
}

/** E11: the member with one of these BLS keys, bound to one of these network keys. */
export function memberIn(
  { members }: Pick<BoundKeys, 'members'>,
  { blsKeys, networkKeys }: Pick<Identity, 'blsKeys' | 'networkKeys'>,
): number | undefined {
  const found = members.findIndex(
    ({ blsPublicKey, peerKey }) =>
      blsKeys.some(({ publicKey }) => bytesEqual(publicKey, blsPublicKey)) &&
      networkKeys.some(({ peer }) => peer === peerKey),
  );
  return found < 0 ? undefined : found;
}

async function readNetworkKeys(home: string, config: Config): Promise<readonly NetworkKey[]> {
  const paths = [resolve(home, config['keys.peer'])];
  const next = join(home, HOME.nextPeerSeed);
  if (existsSync(next)) paths.push(next);
  return Promise.all(
    paths.map(async (path) => {
      const seed = await readSecret(path, 'seed of a network key');
      return { seed, peer: identityFromSeed(seed).peer };
    }),
  );
}

async function readBlsKeys(home: string, config: Config): Promise<readonly BlsKey[]> {
  const places = [];
  if (config['keys.bls'] !== '')
    places.push([resolve(home, config['keys.bls']), resolve(home, config['keys.blsPassword'])]);
  const next = join(home, HOME.nextBlsKeystore);
  if (existsSync(next)) places.push([next, join(home, HOME.nextBlsPassword)]);
  return Promise.all(
    places.map(async ([keystore, password]) => {
      const secret = await readBlsKey(keystore as string, password as string);
      return { secret, publicKey: createBlsSigner(secret).publicKey };
    }),
  );
}

async function readCommitteeCertificate(
  home: string,
  config: Config,
  { genesisHash, committee }: Pick<Identity, 'genesisHash' | 'committee'>,
): Promise<CommitteeCertificate | undefined> {
  if (config['sessions.committeeCertificate'] === '') return undefined;
  const path = resolve(home, config['sessions.committeeCertificate']);
  const certificate = parseCommitteeCertificate(await readText(path, 'committee certificate'), path);
  checkCommitteeCertificate(certificate, path, { genesisHash, committee });
  return certificate;
}

function refuseUnsound(genesis: Genesis, path: string): void {
  const faults = genesisFaults(genesis);
  if (faults.length === 0) return;
  const message = `${path} is no genesis that a chain could live by:\n  ${faults.join('\n  ')}`;
  throw new HomeError('home-incomplete', message, { path, faults });
}

/** Most development settings would have no effect and no message; a validator with invalid signatures would be blocked by all others. */
function refuseDevelopment(config: Config, { chain, development }: Genesis): void {
  if (development) return;
  const keys = (Object.keys(CONFIG_KEYS) as ConfigKey[]).filter((key) => key.startsWith('development.'));
  const faults = keys
    .filter((key) => config[key] !== CONFIG_KEYS[key].default)
    .map((key) => `${key} is for development chains, and ${chain} is none: leave it out`);
  if (faults.length > 0) throw new HomeError('config-invalid', faults.join('\n  '), { faults });
}

/** Without a proof of possession a key could cancel the others in an aggregate (rogue-key attack). */
function checkPossession(genesis: Genesis): void {
  for (const [index, { blsPublicKey, proofOfPossession }] of genesis.members.entries()) {
    if (!checkProofOfPossession(blsPublicKey, proofOfPossession)) {
      const message = `the genesis file has no valid proof of possession for validator ${index}: get a sound genesis file`;
      throw new HomeError('key-mismatch', message, { validator: index });
    }
  }
}
