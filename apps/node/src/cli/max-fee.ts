/** The highest fee of a transaction: as given, else by the node's prices. */
import { type Client, type SignedTransaction, signForPrices } from '@slipstream/client';
import { amount, flag } from '@slipstream/command-line';

export const maxFeeOption = amount(
  undefined,
  "The most that may be charged. Default: what the node's prices ask for, with room for them to double.",
);

export const urgentOption = flag(
  'Allow three times as much, so that nodes pack it among the urgent ones. No more is charged. --max-fee goes before it.',
);

export async function signWithin(
  { 'max-fee': maxFee, urgent }: { readonly 'max-fee': bigint | undefined; readonly urgent: boolean },
  client: Client,
  sign: (maxFee: bigint) => SignedTransaction,
): Promise<SignedTransaction> {
  return maxFee === undefined ? signForPrices(client, sign, { urgent }) : sign(maxFee);
}
