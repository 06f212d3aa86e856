/** The node's keys, and whether they belong to the genesis. */
import { resolve } from 'node:path';
import { checkProofOfPossession, createBlsSigner } from '@slipstream/crypto/native';
import { identityFromSeed } from '@slipstream/network';
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual, to0x } from '@slipstream/primitives';
import {
  type Committee,
  type CommitteeCertificate,
  committeeOf,
  type Genesis,
  type GenesisHash,
  genesisHashOf,
} from '@slipstream/types';
import { CONFIG_KEYS, type Config, type ConfigKey } from '../config/keys.ts';
import { HomeError } from '../errors.ts';
import { checkCommitteeCertificate, parseCommitteeCertificate } from './committee-certificate.ts';
import { readGenesis, readSecret, readText } from './files.ts';
import { genesisFaults } from './genesis-faults.ts';
import { readBlsKey } from './node-keys.ts';

export interface Identity {
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  readonly peerSeed: Uint8Array;
  readonly peer: PeerKey;
  /** The root key's certificate of the committee; undefined: other chains accept no sessions of this one. */
  readonly committeeCertificate: CommitteeCertificate | undefined;
  /** Undefined on a full node. */
  readonly validator: { readonly index: number; readonly secretKey: Uint8Array } | undefined;
}

/** Throws HomeError `home-incomplete`, `key-mismatch`, or `config-invalid` for settings of development chains. */
export async function loadIdentity(home: string, config: Config): Promise<Identity> {
  const path = resolve(home, config.genesis);
  const genesis = await readGenesis(path);
  refuseUnsound(genesis, path);
  refuseDevelopment(config, genesis);
  checkPossession(genesis);
  const committee = committeeOf(genesis);
  const peerSeed = await readSecret(resolve(home, config['keys.peer']), 'seed of a network key');
  const { peer } = identityFromSeed(peerSeed);
  const secretKey =
    config['keys.bls'] === ''
      ? undefined
      : await readBlsKey(resolve(home, config['keys.bls']), resolve(home, config['keys.blsPassword']));
  if (secretKey === undefined) refuseValidatorsPeer(committee, peer);
  const validator = secretKey && { index: memberIndexOf(committee, secretKey, peer), secretKey };
  const genesisHash = genesisHashOf(genesis);
  const committeeCertificate = await readCommitteeCertificate(home, config, { genesisHash, committee });
  return { genesis, genesisHash, committee, peerSeed, peer, validator, committeeCertificate };
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

/** A full node with a validator's peer key would cast no votes, and others would take it for that validator. */
function refuseValidatorsPeer(committee: Committee, peer: PeerKey): void {
  const member = committee.members.find(({ peerKey }) => peerKey === peer);
  if (!member) return;
  const message =
    `the network key ${peer.slice(0, 16)}... is that of validator ${member.index} in the genesis file, and keys.bls is empty: ` +
    'no validator would vote for it. Set keys.bls to its keystore; a full node needs a network key of its own (keys.peer).';
  throw new HomeError('key-mismatch', message, { validator: member.index, peer });
}

function memberIndexOf(committee: Committee, secretKey: Uint8Array, peer: PeerKey): number {
  const { publicKey } = createBlsSigner(secretKey);
  const member = committee.members.find(({ blsPublicKey }) => bytesEqual(blsPublicKey, publicKey));
  if (!member) {
    const message =
      `the BLS key ${to0x(publicKey).slice(0, 18)}... is of no validator in the genesis file. ` +
      'Set keys.bls to the keystore of a validator of this chain, or leave it empty for a full node.';
    throw new HomeError('key-mismatch', message, { publicKey: to0x(publicKey) });
  }
  if (member.peerKey !== peer) {
    const message =
      `validator ${member.index} has the network key ${member.peerKey.slice(0, 16)}... in the genesis file, ` +
      `this node's is ${peer.slice(0, 16)}...: set keys.peer to the right seed.`;
    throw new HomeError('key-mismatch', message, { validator: member.index, peer });
  }
  return member.index;
}
