/** A home's keys for the commands of a validator. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPair } from '@slipstream/client';
import { type Terminal, text } from '@slipstream/command-line';
import { type Config, HOME } from '@slipstream/node-home';
import type { KeyPlaces } from '@slipstream/node-home/chain';
import type { SigningKeys } from '../validator/key-actions.ts';
import { readKeyPair } from './account-key.ts';

export const accountKeyOption = text(
  'FILE|0xSECRET',
  "Secret of the account that signs and pays. Default: the home's network key as an account.",
);

/** Where the configuration has them; a full node that becomes a validator has the usual places. */
export function keyPlacesOf(config: Config): KeyPlaces {
  const keystore = config['keys.bls'] === '' ? HOME.blsKeystore : config['keys.bls'];
  return { keystore, password: config['keys.blsPassword'], seed: config['keys.peer'] };
}

/** Keys of a rotation where there are some, else those in use. */
export function nextPlacesOf(home: string, own: KeyPlaces): KeyPlaces {
  const hasBls = existsSync(join(home, HOME.nextBlsKeystore));
  return {
    keystore: hasBls ? HOME.nextBlsKeystore : own.keystore,
    password: hasBls ? HOME.nextBlsPassword : own.password,
    seed: existsSync(join(home, HOME.nextPeerSeed)) ? HOME.nextPeerSeed : own.seed,
  };
}

/** Throws HomeError `home-incomplete`. */
export async function signingKeysOf(home: string, places: KeyPlaces): Promise<SigningKeys> {
  const { readValidatorKeys } = await import('@slipstream/node-home/chain');
  const { createBlsSigner } = await import('@slipstream/crypto/native');
  const { bls, peerKey } = await readValidatorKeys(home, places);
  const { publicKey: blsPublicKey, signCompressed } = createBlsSigner(bls.secret);
  return { blsPublicKey, peerKey, sign: signCompressed };
}

export async function accountOfHome(
  given: string | undefined,
  home: string,
  config: Config,
  terminal: Terminal,
): Promise<KeyPair> {
  return await readKeyPair(given ?? join(home, config['keys.peer']), terminal);
}
