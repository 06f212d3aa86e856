/**
 * Units from a transaction's bytes, prices from `GET /v1/fees`.
 *
 *   signForPrices: draft = sign(0) --> estimateFee(draft, await client.fees()) --> sign(maxFee)
 *
 * A lying node can only distort maxFee: the chain charges its own prices.
 */
import type { Fees, UnitsJson } from '@slipstream/schema';
import {
  FORECAST_WINDOWS,
  feeOf,
  forecastPrices,
  UNIT_DIMENSIONS,
  type Units,
  type UnitsOfCalls,
  unitsOf,
} from '@slipstream/types';
import type { Client } from './client.ts';
import { ClientError } from './errors.ts';
import type { SignedTransaction } from './transactions.ts';

/** On the estimate: nodes require twice (types, "Fee forecast"), and prices may rise by half until packing. */
const URGENT_TIMES = 3n;
const AMOUNT_MAX = 2n ** 64n - 1n;

interface EstimateOptions {
  /** Price windows until inclusion. Default: a minute on a fast chain. */
  readonly windows?: number | undefined;
  /** Nodes pack it as urgent, ahead of most others. The charge is the same, but the account must hold all of maxFee. Default false. */
  readonly urgent?: boolean | undefined;
  /** Of the applications that it calls: `unitsOfCallsTo` of their manifests. Without it the estimate of a call is too low. */
  readonly unitsOfCall?: UnitsOfCalls | undefined;
}

interface FeeEstimate {
  /** Upper bound, in the order of UNIT_DIMENSIONS. */
  readonly units: Units;
  /** Upper bound at current prices: the transaction may allocate less state. */
  readonly fee: bigint;
  /** Covers `windows` rises of all prices, more when urgent. Zero where execution is free. */
  readonly maxFee: bigint;
}

/**
 * A draft has any maxFee, which changes neither length nor units; its signature is unused. Throws ClientError `malformed-answer` for
 * invalid prices.
 */
export function estimateFee(
  { transaction, bytes }: Pick<SignedTransaction, 'transaction' | 'bytes'>,
  { prices, minimumPrices }: Pick<Fees, 'prices' | 'minimumPrices'>,
  { windows = FORECAST_WINDOWS, urgent = false, unitsOfCall }: EstimateOptions = {},
): FeeEstimate {
  const units = unitsOf(transaction, bytes.length, unitsOfCall);
  const now = pricesIn(prices);
  const floors = pricesIn(minimumPrices);
  const later = feeOf(units, forecastPrices(now, floors, windows));
  const most = urgent ? later * URGENT_TIMES : later;
  return { units, fee: feeOf(units, now), maxFee: most > AMOUNT_MAX ? AMOUNT_MAX : most };
}

/** Calls `sign` at most twice; the first result is a draft. */
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
