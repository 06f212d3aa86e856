/**
 * What a transaction will be charged, and what to allow: units follow from its bytes, prices from `GET /v1/fees`.
 *
 *   signForPrices: draft = sign(0) --> estimateFee(draft, await client.fees()) --> sign(maxFee)
 *
 * Whatever a node says of prices, a chain charges by its own, and returns what is not used of maxFee.
 */
import type { Fees, UnitsJson } from '@slipstream/schema';
import { FORECAST_WINDOWS, feeOf, forecastPrices, UNIT_DIMENSIONS, type Units, unitsOf } from '@slipstream/types';
import type { Client } from './client.ts';
import { ClientError } from './errors.ts';
import type { SignedTransaction } from './transactions.ts';

/** Times the estimate: nodes ask for twice (types, "Fee forecast"), and prices may rise by half before it comes to them. */
const URGENT_TIMES = 3n;
const AMOUNT_MAX = 2n ** 64n - 1n;

interface EstimateOptions {
  /** How many times prices may move before the transaction is in a block. Default: what a minute of a fast chain brings. */
  readonly windows?: number | undefined;
  /**
   * Allow so much that nodes pack it among the urgent ones, ahead of most others when the chain is busy. No more is charged, but all
   * of maxFee must be in the account. Default false.
   */
  readonly urgent?: boolean | undefined;
}

interface FeeEstimate {
  /** At most, in the order of UNIT_DIMENSIONS. */
  readonly units: Units;
  /** At the prices in force, at most: what it really adds to the state may be less. */
  readonly fee: bigint;
  /** What to allow: enough after `windows` changes of all prices upwards, or more where it is urgent. Zero where execution is free. */
  readonly maxFee: bigint;
}

/**
 * Of a draft: a transaction as it will be sent, but for its maxFee, which changes neither its length nor its units. A draft that is
 * only estimated need not be sent; its signature says nothing of the real one. Throws ClientError `malformed-answer` for prices that
 * are none.
 */
export function estimateFee(
  { transaction, bytes }: Pick<SignedTransaction, 'transaction' | 'bytes'>,
  { prices, minimumPrices }: Pick<Fees, 'prices' | 'minimumPrices'>,
  { windows = FORECAST_WINDOWS, urgent = false }: EstimateOptions = {},
): FeeEstimate {
  const units = unitsOf(transaction, bytes.length);
  const now = pricesIn(prices);
  const floors = pricesIn(minimumPrices);
  const later = feeOf(units, forecastPrices(now, floors, windows));
  const most = urgent ? later * URGENT_TIMES : later;
  return { units, fee: feeOf(units, now), maxFee: most > AMOUNT_MAX ? AMOUNT_MAX : most };
}

/** Signs with the maxFee that the node's prices ask for. `sign` is called twice at most: what it gives first is only measured. */
export async function signForPrices(
  client: Pick<Client, 'fees'>,
  sign: (maxFee: bigint) => SignedTransaction,
  options: EstimateOptions = {},
): Promise<SignedTransaction> {
  const draft = sign(0n);
  const { maxFee } = estimateFee(draft, await client.fees(), options);
  return maxFee === 0n ? draft : sign(maxFee);
}

function pricesIn(units: UnitsJson | undefined): readonly bigint[] {
  return UNIT_DIMENSIONS.map((dimension) => {
    const price: unknown = units?.[dimension];
    if (typeof price === 'string' && /^[0-9]{1,20}$/.test(price)) return BigInt(price);
    throw new ClientError('malformed-answer', `the fees of the node have no price of ${dimension}`);
  });
}
