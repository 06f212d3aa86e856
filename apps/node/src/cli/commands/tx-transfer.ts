/** Signs a transfer here and submits it: the secret does not leave this process. */
import { buildTransaction, signTransaction, transfer } from '@slipstream/client';
import { amount, choice, defineCommand, required } from '@slipstream/command-line';
import { readKeyPair } from '../account-key.ts';
import { lifeOption } from '../life-option.ts';
import { maxFeeOption, signWithin, urgentOption } from '../max-fee.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { sendSigned } from '../send-signed.ts';
import { exitCodeOf, transactionText } from '../transaction-text.ts';

export const transferCommand = defineCommand({
  name: 'tx transfer',
  summary: 'Send a transfer: sign it, submit it, and optionally wait.',
  details: 'The secret stays in this process. Prefer a key file: other users can see arguments.',
  options: {
    to: required('ACCOUNT', 'Who is paid: 0x01 and 64 hexadecimal digits.'),
    amount: amount(undefined, 'How much.', { required: true }),
    key: required('FILE|0xSECRET', "The sender's secret."),
    'max-fee': maxFeeOption,
    urgent: urgentOption,
    'expires-in': lifeOption,
    wait: choice(['no', 'attested', 'ordered', 'final'], 'no', 'What to wait for.'),
    url: urlOption,
  },
  example:
    'slipstream tx transfer --to 0x013b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29 ' +
    '--amount 5 --key alice.key --wait final',
  async run({ options, terminal }) {
    const key = await readKeyPair(options.key, terminal);
    const client = clientFor(options.url, terminal);
    const action = transfer(options.to, options.amount as bigint);
    const parts = {
      genesisHash: await client.genesisHash(),
      sender: key.account,
      actions: [action],
      expiryMs: Date.now() + options['expires-in'] * 1_000,
    };
    const signed = await signWithin(options, client, (maxFee) =>
      signTransaction(buildTransaction({ ...parts, maxFee }), key),
    );
    const view = await sendSigned(client, signed, options.wait);
    terminal.out(options.json ? JSON.stringify(view) : transactionText(view));
    return exitCodeOf(view);
  },
});
