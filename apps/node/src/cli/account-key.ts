/** The key that a command signs with: 64 hexadecimal digits, or a file with them. */
import { type KeyPair, keyPairFrom } from '@slipstream/client';
import { inFolder, type Terminal } from '@slipstream/command-line';
import { readSecret } from '@slipstream/node-home';
import { fromHex } from '@slipstream/primitives';

const SECRET_TEXT = /^0x[0-9a-fA-F]{64}$/;

export async function readKeyPair(fileOrSecret: string, terminal: Terminal): Promise<KeyPair> {
  if (SECRET_TEXT.test(fileOrSecret)) return keyPairFrom(fromHex(fileOrSecret));
  return keyPairFrom(await readSecret(inFolder(terminal, fileOrSecret), 'secret of an account'));
}
