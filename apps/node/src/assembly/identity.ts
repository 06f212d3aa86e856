/** Who this node is: its keys, and whether they belong to the genesis. */
import { resolve } from 'node:path';
import { CryptoError } from '@slipstream/crypto';
import {
  checkProofOfPossession,
  createBlsSigner,
  decryptKeystore,
  verifyRootSignature,
} from '@slipstream/crypto/native';
import { identityFromSeed } from '@slipstream/network';
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual, to0x } from '@slipstream/primitives';
import {
  type Committee,
  type CommitteeCertificate,
  certifiedMembers,
  committeeMessage,
  committeeOf,
  type Genesis,
  type GenesisHash,
  genesisHashOf,
} from '@slipstream/types';
import type { Config } from '../config/keys.ts';
import { NodeError } from '../errors.ts';
import { parseCommitteeCertificate } from '../folder/committee-certificate.ts';
import { readGenesis, readSecret, readText } from '../folder/files.ts';

export interface Identity {
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  readonly peerSeed: Uint8Array;
  readonly peer: PeerKey;
  /** The root key's word for the committee; undefined: other chains accept no sessions of this one. */
  readonly committeeCertificate: CommitteeCertificate | undefined;
  /** Undefined on a full node. */
  readonly validator: { readonly index: number; readonly secretKey: Uint8Array } | undefined;
}

/** Throws NodeError `home-incomplete` or `key-mismatch`. */
export async function loadIdentity(home: string, config: Config): Promise<Identity> {
  const genesis = await readGenesis(resolve(home, config.genesis));
  checkPossession(genesis);
  const committee = committeeOf(genesis);
  const peerSeed = await readSecret(resolve(home, config['keys.peer']), 'seed of a network key');
  const { peer } = identityFromSeed(peerSeed);
  const secretKey = config['keys.bls'] === '' ? undefined : await readBlsKey(home, config);
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
  const { expiryMs, members, rootKey, signature } = certificate;
  if (!bytesEqual(certificate.genesisHash, genesisHash)) {
    const [theirs, ours] = [certificate.genesisHash, genesisHash].map((hash) => `${to0x(hash).slice(0, 18)}...`);
    const detail = `is of the chain with genesis ${theirs}, the genesis file here is ${ours}: one of the two files is another chain's`;
    throw new NodeError('key-mismatch', `${path} ${detail}`, { path });
  }
  const message = committeeMessage(genesisHash, certifiedMembers(committee), expiryMs);
  const isOurs =
    bytesEqual(message, committeeMessage(genesisHash, members, expiryMs)) &&
    verifyRootSignature(rootKey, message, signature);
  if (!isOurs) {
    const detail =
      'is not of this chain’s committee, or its root key did not sign it: take the one that init or keys certify-committee made';
    throw new NodeError('key-mismatch', `${path} ${detail}`, { path });
  }
  return certificate;
}

/** A key that nobody proved to hold could cancel the others' in a sum. */
function checkPossession(genesis: Genesis): void {
  for (const [index, { blsPublicKey, proofOfPossession }] of genesis.members.entries()) {
    if (!checkProofOfPossession(blsPublicKey, proofOfPossession)) {
      const message = `the genesis file has no valid proof of possession for validator ${index}: get a sound genesis file`;
      throw new NodeError('key-mismatch', message, { validator: index });
    }
  }
}

async function readBlsKey(home: string, config: Config): Promise<Uint8Array> {
  const path = resolve(home, config['keys.bls']);
  const keystore = await readText(path, 'BLS keystore');
  const password = (
    await readText(resolve(home, config['keys.blsPassword']), 'password of the BLS keystore')
  ).trimEnd();
  try {
    return decryptKeystore(keystore, password);
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw new NodeError('home-incomplete', `${path}: ${cause.message}`, { path }, cause);
  }
}

function memberIndexOf(committee: Committee, secretKey: Uint8Array, peer: PeerKey): number {
  const { publicKey } = createBlsSigner(secretKey);
  const member = committee.members.find(({ blsPublicKey }) => bytesEqual(blsPublicKey, publicKey));
  if (!member) {
    const message =
      `the BLS key ${to0x(publicKey).slice(0, 18)}... is of no validator in the genesis file. ` +
      'Set keys.bls to the keystore of a validator of this chain, or leave it empty for a full node.';
    throw new NodeError('key-mismatch', message, { publicKey: to0x(publicKey) });
  }
  if (member.peerKey !== peer) {
    const message =
      `validator ${member.index} has the network key ${member.peerKey.slice(0, 16)}... in the genesis file, ` +
      `this node's is ${peer.slice(0, 16)}...: set keys.peer to the right seed.`;
    throw new NodeError('key-mismatch', message, { validator: member.index, peer });
  }
  return member.index;
}
