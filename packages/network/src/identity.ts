/** A 32-byte Ed25519 seed is a libp2p key; a PeerKey is its public key in hexadecimal. Conversions to libp2p's peer ids are exact. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { privateKeyFromRaw, publicKeyFromRaw } from '@libp2p/crypto/keys';
import type { PeerId, PrivateKey } from '@libp2p/interface';
import { peerIdFromPublicKey } from '@libp2p/peer-id';
import type { PeerKey } from '@slipstream/ports';
import { concatBytes, fromHex, toHex } from '@slipstream/primitives';
import { NetworkError } from './errors.ts';

const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 32;

/** DER, of a raw Ed25519 seed and public key (RFC 8410). */
const PKCS8_PREFIX = fromHex('302e020100300506032b657004220420');
const SPKI_PREFIX_BYTES = 12;

export interface Identity {
  readonly peer: PeerKey;
  readonly privateKey: PrivateKey;
}

/** Throws NetworkError `options-invalid` unless 32 bytes. */
export function identityFromSeed(seed: Uint8Array): Identity {
  if (seed.length !== SEED_BYTES) {
    throw new NetworkError('options-invalid', `the seed of a network key has ${SEED_BYTES} bytes, not ${seed.length}`);
  }
  const key = createPrivateKey({ key: Buffer.from(concatBytes(PKCS8_PREFIX, seed)), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX_BYTES);
  return { peer: toHex(publicKey) as PeerKey, privateKey: privateKeyFromRaw(concatBytes(seed, publicKey)) };
}

/** Throws NetworkError `not-ed25519` unless 64 hexadecimal digits. */
export function peerIdFromKey(peer: PeerKey): PeerId {
  const raw = fromHex(peer);
  if (raw.length !== PUBLIC_KEY_BYTES) {
    throw new NetworkError('not-ed25519', `a peer key has ${2 * PUBLIC_KEY_BYTES} hexadecimal digits: "${peer}"`);
  }
  const publicKey = publicKeyFromRaw(raw);
  if (publicKey.type !== 'Ed25519') throw new NetworkError('not-ed25519', `not an Ed25519 key: "${peer}"`);
  return peerIdFromPublicKey(publicKey);
}

/** Undefined for other key types, which no node has. */
export function peerKeyFromId(peerId: PeerId): PeerKey | undefined {
  if (peerId.type !== 'Ed25519' || peerId.publicKey === undefined) return undefined;
  return toHex(peerId.publicKey.raw) as PeerKey;
}
