/** Key files: account secrets and network seeds as digits, validator keys as EIP-2335 keystores. */
import { existsSync } from 'node:fs';
import { keyPairFrom } from '@slipstream/client';
import { createBlsSigner, decryptKeystore, encryptKeystore, generateBlsSecretKey } from '@slipstream/crypto/native';
import { identityFromSeed } from '@slipstream/network';
import { readPassword, readText, writeText } from '@slipstream/node-home';
import { createRandom } from '@slipstream/platform';
import { fromHex, to0x, toHex } from '@slipstream/primitives';
import { NodeError } from '../errors.ts';
import type { KeyKind } from './key-kind.ts';

export interface PublicKeyView {
  readonly kind: KeyKind;
  readonly account?: string;
  /** BLS, 48 bytes. */
  readonly publicKey?: string;
  /** 192 bytes, needed in a genesis file. */
  readonly proofOfPossession?: string;
  readonly peer?: string;
}

const SECRET_BYTES = 32;

/** From the system's generator; for validators a BLS secret key. */
export function newSecret(kind: KeyKind): Uint8Array {
  const bytes = createRandom().bytes(SECRET_BYTES);
  return kind === 'validator' ? generateBlsSecretKey(bytes) : bytes;
}

/** Throws CryptoError when the bytes are no such key. */
export function publicView(kind: KeyKind, secret: Uint8Array): PublicKeyView {
  switch (kind) {
    case 'account':
      return { kind, account: keyPairFrom(secret).accountText };
    case 'network':
      return { kind, peer: `0x${identityFromSeed(secret).peer}` };
    case 'validator': {
      const signer = createBlsSigner(secret);
      return { kind, publicKey: to0x(signer.publicKey), proofOfPossession: to0x(signer.proveOwnership()) };
    }
    default:
      return kind satisfies never;
  }
}

/** Writes a file that only its owner can read; never overwrites. Creates a missing password. */
export async function writeKey(kind: KeyKind, secret: Uint8Array, path: string, passwordFile: string | undefined) {
  if (existsSync(path)) {
    throw new NodeError('usage', `${path} is there already: a key is never overwritten. Choose another --out`, {
      path,
    });
  }
  if (kind !== 'validator') return await writeText(path, `${toHex(secret)}\n`, { secret: true });
  if (passwordFile === undefined)
    throw new NodeError('usage', 'a keystore needs --password-file FILE (made when it is missing)');
  const password = await passwordOf(passwordFile);
  const { publicKey } = createBlsSigner(secret);
  await writeText(path, encryptKeystore({ secret, password, publicKey, random: createRandom() }), { secret: true });
}

async function passwordOf(path: string): Promise<string> {
  if (existsSync(path)) {
    const given = await readPassword(path, 'password');
    if (given !== '') return given;
    throw new NodeError('usage', `${path} is empty: write a password into it, or remove it to have one made`, { path });
  }
  const password = toHex(createRandom().bytes(SECRET_BYTES));
  await writeText(path, `${password}\n`, { secret: true });
  return password;
}

export function parseSecret(text: string, from: string): Uint8Array {
  const digits = text.trim();
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(digits)) return fromHex(digits);
  throw new NodeError('usage', `${from} holds no secret: 64 hexadecimal digits are needed`);
}

/** Public keys; also checks a keystore's password, when given. */
export async function viewKeyFile(path: string, passwordFile: string | undefined): Promise<readonly PublicKeyView[]> {
  const text = await readText(path, 'key file');
  if (!text.trimStart().startsWith('{')) {
    const secret = parseSecret(text, path);
    return [publicView('account', secret), publicView('network', secret)];
  }
  if (passwordFile !== undefined) {
    const password = await readPassword(passwordFile, 'password');
    return [publicView('validator', decryptKeystore(text, password))];
  }
  return [{ kind: 'validator', publicKey: publicKeyIn(text, path) }];
}

/** 0x..., without the password. Throws NodeError or HomeError `home-incomplete`. */
export async function publicKeyOfKeystore(path: string): Promise<string> {
  return publicKeyIn(await readText(path, 'BLS keystore'), path);
}

function publicKeyIn(keystore: string, path: string): string {
  let pubkey: unknown;
  try {
    pubkey = (JSON.parse(keystore) as { readonly pubkey?: unknown }).pubkey;
  } catch (cause) {
    throw new NodeError('home-incomplete', `${path} is neither a keystore nor a secret`, { path }, cause);
  }
  if (typeof pubkey === 'string' && /^(0x)?[0-9a-fA-F]{96}$/.test(pubkey)) return to0x(fromHex(pubkey));
  throw new NodeError('home-incomplete', `${path} is no keystore of a validator: it names no public key`, { path });
}

export function keyText({ kind, account, publicKey, proofOfPossession, peer }: PublicKeyView): string {
  const proof = proofOfPossession === undefined ? '' : `\n  proof of possession ${proofOfPossession}`;
  return `${kind.padEnd(10)} ${account ?? publicKey ?? peer ?? ''}${proof}`;
}
