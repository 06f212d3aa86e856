/** Enters an account with a BLS key into the directory. The key is on disk before the transaction is sent. */
import { existsSync } from 'node:fs';
import { type BlsKeyPair, blsKeyPairFrom, generateBlsKeyPair, register } from '@slipstream/client';
import { defineCommand, inFolder, required } from '@slipstream/command-line';
import { readSecret, writeText } from '@slipstream/node-home';
import { fromHex, to0x, toHex } from '@slipstream/primitives';
import type { TransactionView } from '@slipstream/schema';
import { registrationsInOutput } from '@slipstream/types';
import { readKeyPair } from '../account-key.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { reportSent, sendActions, sendOptions } from '../send-actions.ts';

export const accountRegisterCommand = defineCommand({
  name: 'account register',
  summary: 'Enter an account with a BLS key into the directory of accounts, which gives it a short index.',
  details:
    'The BLS key is made when its file is missing, and used when it is there; keep it as you keep the account. Entries never change: ' +
    'registering again gives another index, and the old one only receives. The chain needs a directory: slipstream init --directory; ' +
    'development chains have one.',
  options: {
    key: required('FILE|0xSECRET', "The account's secret."),
    'bls-key': required('FILE', 'Secret of the BLS key, 64 hexadecimal digits; made when the file is missing.'),
    url: urlOption,
    ...sendOptions,
  },
  example: 'slipstream account register --key alice.key --bls-key alice.bls.key',
  async run({ options, terminal }) {
    const key = await readKeyPair(options.key, terminal);
    const client = clientFor(options.url, terminal);
    const genesisHash = await client.genesisHash();
    const file = inFolder(terminal, options['bls-key']);
    const pair = await blsKeyOf(file);
    const action = register(pair, { account: key.account, genesisHash });
    const view = await sendActions(client, key, [action], options);
    return reportSent(view, options, terminal, [
      ...indexLine(view),
      ...(await rowsLine(view)),
      `  BLS key  ${to0x(pair.publicKey)}`,
      `  secret   ${file}`,
    ]);
  },
});

async function blsKeyOf(file: string): Promise<BlsKeyPair> {
  if (existsSync(file)) return blsKeyPairFrom(await readSecret(file, 'secret of a BLS key'));
  const pair = generateBlsKeyPair();
  await writeText(file, `${toHex(pair.secret)}\n`, { secret: true });
  return pair;
}

function indexLine({ receipt }: TransactionView): readonly string[] {
  const [index] = (receipt && registrationsInOutput(fromHex(receipt.output))) ?? [];
  return index === undefined ? [] : [`  index    ${index}`];
}

async function rowsLine({ height }: TransactionView): Promise<readonly string[]> {
  if (height === undefined) return [];
  const { KNOWN_AT_DEPTH } = await import('@slipstream/broker');
  return [`  rows     taken by brokers from height ${height + KNOWN_AT_DEPTH} on`];
}
