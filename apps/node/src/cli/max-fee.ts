/** The most that a transaction which a command signs may be charged: as told, else what the node's prices ask for. */
import { type Client, type SignedTransaction, signForPrices } from '@slipstream/client';
import { amount } from './option.ts';

export const maxFeeOption = amount(
  undefined,
  "The most that may be charged. Default: what the node's prices ask for, with room for them to double.",
);

export async function signWithin(
  maxFee: bigint | undefined,
  client: Client,
  sign: (maxFee: bigint) => SignedTransaction,
): Promise<SignedTransaction> {
  return maxFee === undefined ? signForPrices(client, sign) : sign(maxFee);
}
