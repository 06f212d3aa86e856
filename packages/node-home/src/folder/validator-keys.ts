/** Keys that a node gets while its chain runs: those of a candidate, and the next ones of a validator that rotates. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generateBlsSecretKey } from '@slipstream/crypto/native';
import { identityFromSeed } from '@slipstream/network';
import type { Random } from '@slipstream/ports';
import { HomeError } from '../errors.ts';
import { readSecret } from './files.ts';
import { HOME } from './layout.ts';
import { type NodeKeys, nodeKeysOf, readBlsKey, SECRET_BYTES, writeKeystore, writePeerSeed } from './node-keys.ts';

/** Paths within a home. */
export interface KeyPlaces {
  readonly keystore: string;
  readonly password: string;
  readonly seed: string;
}

export const NEXT_KEYS: KeyPlaces = {
  keystore: HOME.nextBlsKeystore,
  password: HOME.nextBlsPassword,
  seed: HOME.nextPeerSeed,
};

/** Never overwrites a key file. Throws HomeError `home-incomplete`. */
export async function makeMissingKeys(
  random: Random,
  home: string,
  { keystore, password, seed }: KeyPlaces,
  description: string,
): Promise<void> {
  const has = (name: string) => existsSync(join(home, name));
  if (!has(keystore)) {
    if (has(password)) {
      const message = `${home} has ${password} and not the keystore that it opens: bring ${keystore}, or remove the password`;
      throw new HomeError('home-incomplete', message, { home });
    }
    const secret = generateBlsSecretKey(random.bytes(SECRET_BYTES));
    await writeKeystore(random, home, { keystore, password }, secret, description);
  }
  if (!has(seed)) await writePeerSeed(home, random.bytes(SECRET_BYTES), seed);
}

/** 0x.... Throws HomeError `home-incomplete`. */
export async function readPeerKey(path: string): Promise<string> {
  return `0x${identityFromSeed(await readSecret(path, 'seed of a network key')).peer}`;
}

/** Throws HomeError `home-incomplete`. */
export async function readValidatorKeys(
  home: string,
  { keystore, password, seed }: KeyPlaces,
): Promise<NodeKeys & { readonly bls: NonNullable<NodeKeys['bls']> }> {
  const peerSeed = await readSecret(join(home, seed), 'seed of a network key');
  const keys = nodeKeysOf(peerSeed, await readBlsKey(join(home, keystore), join(home, password)));
  return keys as NodeKeys & { readonly bls: NonNullable<NodeKeys['bls']> };
}
