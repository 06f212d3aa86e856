/** Signs actions with an account's key and submits them. */
import { buildTransaction, type Client, type KeyPair, signTransaction } from '@slipstream/client';
import { choice, type ExitCode, type OptionValues, type Terminal } from '@slipstream/command-line';
import type { TransactionView } from '@slipstream/schema';
import type { Action } from '@slipstream/types';
import { lifeOption } from './life-option.ts';
import { maxFeeOption, signWithin, urgentOption } from './max-fee.ts';
import { sendSigned } from './send-signed.ts';
import { exitCodeOf, transactionText } from './transaction-text.ts';

export const sendOptions = {
  'max-fee': maxFeeOption,
  urgent: urgentOption,
  'expires-in': lifeOption,
  wait: choice(['no', 'attested', 'ordered', 'final'], 'final', 'What to wait for.'),
} as const;

type SendValues = OptionValues<typeof sendOptions>;

export async function sendActions(
  client: Client,
  key: KeyPair,
  actions: readonly Action[],
  options: SendValues,
): Promise<TransactionView> {
  const parts = {
    genesisHash: await client.genesisHash(),
    sender: key.account,
    actions,
    expiryMs: Date.now() + options['expires-in'] * 1_000,
  };
  const signed = await signWithin(options, client, (maxFee) =>
    signTransaction(buildTransaction({ ...parts, maxFee }), key),
  );
  return await sendSigned(client, signed, options.wait);
}

/** `next`: what to do after a success. */
export function reportSent(
  view: TransactionView,
  { json }: { readonly json: boolean },
  terminal: Terminal,
  next: readonly string[] = [],
): ExitCode {
  const code = exitCodeOf(view);
  const lines = [transactionText(view), ...(code === 0 ? next : [])];
  terminal.out(json ? JSON.stringify(view) : lines.join('\n'));
  return code;
}
