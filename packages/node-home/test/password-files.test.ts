import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlsSigner, encryptKeystore, generateBlsSecretKey } from '@slipstream/crypto/native';
import { createRandom } from '@slipstream/platform';
import { expect, test } from 'vitest';
import { readBlsKey } from '../src/folder/node-keys.ts';

const folder = await mkdtemp(join(tmpdir(), 'slipstream-password-'));
const keystore = join(folder, 'bls.keystore.json');

async function passwordFile(content: string): Promise<string> {
  const path = join(folder, 'password');
  await writeFile(path, content);
  return path;
}

test.each([
  ['ends in a space', 'correct horse ', '\n'],
  ['ends in an em space', 'correct horse\u2003', '\r\n'],
  ['starts with a space', ' correct horse', ''],
  ['has an unbreakable space at its end', 'correct horse\u00a0', '\n\n'],
])('a keystore opens whose password %s: only line ends are stripped', async (_what, password, lineEnd) => {
  const random = createRandom();
  const secret = generateBlsSecretKey(random.bytes(32));
  const { publicKey } = createBlsSigner(secret);
  await writeFile(keystore, encryptKeystore({ secret, password, publicKey, random, passwordIs: 'random' }));
  expect(await readBlsKey(keystore, await passwordFile(password + lineEnd))).toEqual(secret);
  await expect(readBlsKey(keystore, await passwordFile(password.trim()))).rejects.toThrow('password');
});
