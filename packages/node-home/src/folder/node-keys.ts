/** Creates, writes (readable by the owner only) and reads the secrets of one node. */
import { join } from 'node:path';
import { CryptoError } from '@slipstream/crypto';
import {
  checkProofOfPossession,
  createBlsSigner,
  decryptKeystore,
  encryptKeystore,
  generateBlsSecretKey,
} from '@slipstream/crypto/native';
import { identityFromSeed } from '@slipstream/network';
import type { Random } from '@slipstream/ports';
import { assert, toHex } from '@slipstream/primitives';
import type { GenesisMember } from '@slipstream/types';
import { HomeError } from '../errors.ts';
import { readPassword, readText, writeText } from './files.ts';
import { HOME } from './layout.ts';

export interface NodeKeys {
  readonly bls: { readonly secret: Uint8Array; readonly publicKey: Uint8Array; readonly proof: Uint8Array } | undefined;
  readonly peerSeed: Uint8Array;
  readonly peerKey: GenesisMember['peerKey'];
}

export const SECRET_BYTES = 32;

export function makeKeys(random: Random, validates: boolean): NodeKeys {
  const peerSeed = random.bytes(SECRET_BYTES);
  const secret = validates ? generateBlsSecretKey(random.bytes(SECRET_BYTES)) : undefined;
  return nodeKeysOf(peerSeed, secret);
}

/** Throws CryptoError `invalid-secret-key`. */
export function nodeKeysOf(peerSeed: Uint8Array, secret: Uint8Array | undefined): NodeKeys {
  const { peer: peerKey } = identityFromSeed(peerSeed);
  if (secret === undefined) return { bls: undefined, peerSeed, peerKey };
  const { publicKey, proveOwnership } = createBlsSigner(secret);
  const proof = proveOwnership();
  assert(checkProofOfPossession(publicKey, proof), 'a key proves its possession');
  return { bls: { secret, publicKey, proof }, peerSeed, peerKey };
}

export async function writePeerSeed(home: string, seed: Uint8Array, path: string = HOME.peerSeed): Promise<void> {
  await writeText(join(home, path), `${toHex(seed)}\n`, { secret: true });
}

export async function writeAdminToken(random: Random, home: string): Promise<void> {
  await writeText(join(home, HOME.adminToken), `${toHex(random.bytes(SECRET_BYTES))}\n`, { secret: true });
}

export const BLS_PLACES = { keystore: HOME.blsKeystore, password: HOME.blsPassword } as const;

/** Writes the password before the keystore, so that a complete keystore can be opened. Each has its own password. */
export async function writeKeystore(
  random: Random,
  folder: string,
  places: { readonly keystore: string; readonly password: string },
  secret: Uint8Array,
  description: string,
): Promise<void> {
  const password = toHex(random.bytes(SECRET_BYTES));
  const { publicKey } = createBlsSigner(secret);
  const keystore = encryptKeystore({ secret, password, passwordIs: 'random', publicKey, description, random });
  await writeText(join(folder, places.password), `${password}\n`, { secret: true });
  await writeText(join(folder, places.keystore), keystore, { secret: true });
}

/** Throws HomeError `home-incomplete`. */
export async function readBlsKey(path: string, passwordPath: string): Promise<Uint8Array> {
  const keystore = await readText(path, 'BLS keystore');
  const password = await readPassword(passwordPath, 'password of the BLS keystore');
  try {
    return decryptKeystore(keystore, password);
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw new HomeError('home-incomplete', `${path}: ${cause.message}`, { path }, cause);
  }
}
