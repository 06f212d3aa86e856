/**
 * What a transaction will be charged, and what to allow: units follow from its bytes, prices from `GET /v1/fees`.
 *
 *   signForPrices: draft = sign(0) --> estimateFee(draft, await client.fees()) --> sign(maxFee)
 *
 * Whatever a node says of prices, a chain charges by its own, and returns what is not used of maxFee.
 */
import type { Fees, UnitsJson } from '@slipstream/schema';
import { feeOf, UNIT_DIMENSIONS, type Units, unitsOf } from '@slipstream/types';
import type { Client } from './client.ts';
import { ClientError } from './errors.ts';
import type { SignedTransaction } from './transactions.ts';

/** A price moves by at most this part of itself a window, and by at least 1. */
const STEP_DIVISOR = 8n;
/** At ten blocks a second so many windows of 100 blocks take a minute, the longest life of a transaction: prices can double. */
const WINDOWS_DEFAULT = 6;
const AMOUNT_MAX = 2n ** 64n - 1n;

export interface FeeEstimate {
  /** At most, in the order of UNIT_DIMENSIONS. */
  readonly units: Units;
  /** At the prices in force, at most: what it really adds to the state may be less. */
  readonly fee: bigint;
  /** What to allow: enough after `windows` changes of all prices upwards. Zero where execution is free. */
  readonly maxFee: bigint;
}

/**
 * Of a draft: a transaction as it will be sent, but for its maxFee, which changes neither its length nor its units. A draft that is
 * only estimated need not be sent; its signature says nothing of the real one. `windows` is how many times prices may move before
 * the transaction is in a block. Throws ClientError `malformed-answer` for prices that are none.
 */
export function estimateFee(
  { transaction, bytes }: Pick<SignedTransaction, 'transaction' | 'bytes'>,
  { prices, minimumPrices }: Pick<Fees, 'prices' | 'minimumPrices'>,
  windows: number = WINDOWS_DEFAULT,
): FeeEstimate {
  const units = unitsOf(transaction, bytes.length);
  const now = pricesIn(prices);
  const floors = pricesIn(minimumPrices);
  const later = now.map((price, i) => raised(price, floors[i] as bigint, windows));
  const most = feeOf(units, later);
  return { units, fee: feeOf(units, now), maxFee: most > AMOUNT_MAX ? AMOUNT_MAX : most };
}

/** Signs with the maxFee that the node's prices ask for. `sign` is called twice at most: what it gives first is only measured. */
export async function signForPrices(
  client: Pick<Client, 'fees'>,
  sign: (maxFee: bigint) => SignedTransaction,
): Promise<SignedTransaction> {
  const draft = sign(0n);
  const { maxFee } = estimateFee(draft, await client.fees());
  return maxFee === 0n ? draft : sign(maxFee);
}

function pricesIn(told: UnitsJson | undefined): readonly bigint[] {
  return UNIT_DIMENSIONS.map((dimension) => {
    const price: unknown = told?.[dimension];
    if (typeof price === 'string' && /^[0-9]{1,20}$/.test(price)) return BigInt(price);
    throw new ClientError('malformed-answer', `the fees that the node told name no price of ${dimension}`);
  });
}

/** The highest that a price can be after so many windows. One that is zero, with a minimum of zero, is taken to be free for good. */
function raised(price: bigint, floor: bigint, windows: number): bigint {
  if (price === 0n && floor === 0n) return 0n;
  let most = price > floor ? price : floor;
  for (let i = 0; i < windows && most < AMOUNT_MAX; i++) most += most / STEP_DIVISOR > 1n ? most / STEP_DIVISOR : 1n;
  return most;
}
