/** Reads and writes the small files of a home folder; errors say what to do. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fromHex } from '@slipstream/primitives';
import { type Genesis, genesisFromJson, genesisToJson } from '@slipstream/types';
import { HomeError } from '../errors.ts';

/** Only the owner can read keys, passwords and tokens. */
const SECRET_MODE = 0o600;

/** Matches a secret that was given in place of a file name. Messages end in logs, so they must not show it. */
const LIKE_A_SECRET = /^(0x)?[0-9a-f]{32,}$/i;

export async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (LIKE_A_SECRET.test(basename(path))) {
      const advice = 'give a file, or where a secret may stand 0x and 64 hexadecimal digits';
      const message = `cannot read the ${what}: the file of that name, which is not shown since it looks like a secret; ${advice}`;
      throw new HomeError('home-incomplete', message);
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HomeError('home-incomplete', `cannot read the ${what}: ${reason}`, { path }, cause);
  }
}

export async function readTextIfAny(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}

/** Writes a temporary file and renames it, so that the file is complete or missing. */
export async function writeText(
  path: string,
  text: string,
  options: { readonly secret?: boolean } = {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.new`;
  await writeFile(aside, text, options.secret ? { mode: SECRET_MODE } : {});
  if (options.secret) await chmod(aside, SECRET_MODE);
  await rename(aside, path);
}

/** 32 bytes in hexadecimal. */
export async function readSecret(path: string, what: string): Promise<Uint8Array> {
  const text = (await readText(path, what)).trim();
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(text)) {
    throw new HomeError('home-incomplete', `${path} is no ${what}: it must hold 64 hexadecimal digits`, { path });
  }
  return fromHex(text);
}

/** A password without the line ends after it; every other character, spaces too, belongs to it (EIP-2335). */
export async function readPassword(path: string, what: string): Promise<string> {
  return (await readText(path, what)).replace(/[\r\n]+$/, '');
}

/** Characters that an Authorization header can carry. */
export const ADMIN_TOKEN = /^[!-~]{1,256}$/;

/** Messages never show the token. Throws HomeError `home-incomplete`. */
export async function readAdminToken(path: string): Promise<string> {
  const token = (await readText(path, 'admin token')).trim();
  if (ADMIN_TOKEN.test(token)) return token;
  const message = `${path} is no admin token, and every admin route would refuse everybody: it must hold 1 to 256 characters without spaces (openssl rand -hex 32)`;
  throw new HomeError('home-incomplete', message, { path });
}

/** Throws HomeError `home-incomplete`. */
export async function readJson(path: string, what: string): Promise<unknown> {
  const text = await readText(path, what);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HomeError('home-incomplete', `${path} is not JSON: ${String(cause)}`, { path }, cause);
  }
}

export async function readGenesis(path: string): Promise<Genesis> {
  const json = await readJson(path, 'genesis file');
  const parsed = genesisFromJson(json);
  if (parsed.ok) return parsed.value;
  const faults = parsed.error;
  throw new HomeError('home-incomplete', `${path} is no genesis:\n  ${faults.join('\n  ')}`, { path, faults });
}

export function genesisText(genesis: Genesis): string {
  return `${JSON.stringify(genesisToJson(genesis), null, 2)}\n`;
}
