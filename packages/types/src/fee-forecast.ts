/**
 * Fee forecast: bounds the fee of a waiting transaction, and sets the maxFee from which it is urgent.
 *
 *   price after one window, at most: price + max(1, price / 8)                  (dissemination.md, "Fees")
 *   packed while maxFee >= fee at the prices after CHUNK_WINDOWS windows
 *   urgent from maxFee >= URGENT_FROM * fee at the prices after FORECAST_WINDOWS windows
 *
 * Wallets estimate with it, nodes sort with it. The fee class is no rule of the protocol: each node sorts only what it packs itself.
 */
import { AMOUNT_MAX } from './actions/json.ts';
import { CREDENTIAL_UNITS, feeOf } from './fee-units.ts';
import type { Transaction } from './transaction.ts';
import { addUnits, type Units } from './units.ts';

/** A price changes per window by at most this part of itself, and by at least 1. */
const STEP_DIVISOR = 8n;
/** A transaction lives at most 60 s, which is this many windows of 100 blocks at ten blocks per second. */
export const FORECAST_WINDOWS = 6;
/**
 * Windows in the 30 s of a chunk's life. A packed transaction should cover its fee whenever a block executes it; otherwise it is skipped
 * after every node has carried and checked it.
 */
export const CHUNK_WINDOWS = 3;
/** Factor on the forecast. On the present fee it would make careful wallets urgent: at price 1 the forecast is seven times the fee. */
const URGENT_FROM = 2n;

/** Highest possible prices after `windows` windows. A price of zero with a minimum of zero stays free. */
export function forecastPrices(
  prices: readonly bigint[],
  minimumPrices: readonly bigint[],
  windows: number = FORECAST_WINDOWS,
): readonly bigint[] {
  return prices.map((price, i) => raised(price, minimumPrices[i] as bigint, windows));
}

/**
 * The lowest urgent maxFee for these units. A transaction that names its session by grant id may have to be resent with the credential, so
 * the threshold includes that cost.
 */
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
