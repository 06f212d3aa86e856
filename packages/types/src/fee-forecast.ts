/**
 * Fee forecast: bounds a waiting transaction's fee, and sets the maxFee from which it is urgent.
 *
 *   price after one window, at most: price + max(1, price / 8)                  (dissemination.md, "Fees")
 *   packed while maxFee >= fee at the prices after CHUNK_WINDOWS windows
 *   urgent from maxFee >= URGENT_FROM * fee at the prices after FORECAST_WINDOWS windows
 *
 * For wallets' estimates and nodes' order. The fee class is no rule of the protocol: each node sorts only what it packs.
 */
import { AMOUNT_MAX } from './actions/json.ts';
import { CREDENTIAL_UNITS, feeOf } from './fee-units.ts';
import type { Transaction } from './transaction.ts';
import { addUnits, type Units } from './units.ts';

/** Largest part by which a price changes per window, but at least 1. */
const STEP_DIVISOR = 8n;
/** A transaction lives at most 60 s: this many windows of 100 blocks at ten blocks per second. */
export const FORECAST_WINDOWS = 6;
/** In the 30 s of a chunk's life. A packed transaction that cannot cover its fee is skipped after every node has carried and checked it. */
export const CHUNK_WINDOWS = 3;
/** On the present fee it would make careful wallets urgent. */
const URGENT_FROM = 2n;

/** Highest after `windows` windows. A price of zero with a minimum of zero stays free. */
export function forecastPrices(
  prices: readonly bigint[],
  minimumPrices: readonly bigint[],
  windows: number = FORECAST_WINDOWS,
): readonly bigint[] {
  return prices.map((price, i) => raised(price, minimumPrices[i] as bigint, windows));
}

/** Includes a credential for a grant id, which may have to be resent with it. */
export function urgentMaxFee({ auth }: Pick<Transaction, 'auth'>, units: Units, forecast: readonly bigint[]): bigint {
  const most = auth.scheme === 'session-hash' ? addUnits(units, CREDENTIAL_UNITS) : units;
  return URGENT_FROM * feeOf(most, forecast);
}

function raised(price: bigint, floor: bigint, windows: number): bigint {
  if (price === 0n && floor === 0n) return 0n;
  let most = price > floor ? price : floor;
  for (let i = 0; i < windows && most < AMOUNT_MAX; i++) most += most / STEP_DIVISOR > 1n ? most / STEP_DIVISOR : 1n;
  return most;
}
