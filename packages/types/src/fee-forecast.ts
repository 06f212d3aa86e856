/**
 * Fee forecast: how dear a transaction may become while it waits, and from which maxFee on it is urgent.
 *
 *   price after one window, at most: price + max(1, price / 8)                  (dissemination.md, "Fees")
 *   packed while maxFee >= fee at the prices after CHUNK_WINDOWS windows
 *   urgent from maxFee >= URGENT_FROM * fee at the prices after FORECAST_WINDOWS windows
 *
 * Wallets estimate by it, nodes sort by it. The class is no rule of the protocol: each node sorts what it packs itself.
 */
import { AMOUNT_MAX } from './actions/json.ts';
import { CREDENTIAL_UNITS, feeOf } from './fee-units.ts';
import type { Transaction } from './transaction.ts';
import { addUnits, type Units } from './units.ts';

/** A price moves by at most this part of itself a window, and by at least 1. */
const STEP_DIVISOR = 8n;
/** At ten blocks a second so many windows of 100 blocks take a minute, the longest life of a transaction: prices can double. */
export const FORECAST_WINDOWS = 6;
/**
 * So many of them end in the 30 s of a chunk's life. What a chunk holds is to cover its fee whenever a block executes it: what does not
 * is skipped for nothing, after all have carried and checked it.
 */
export const CHUNK_WINDOWS = 3;
/**
 * Times the forecast. Not times the present fee: where a price is 1 the forecast alone is seven times that, and every careful wallet
 * would be urgent.
 */
export const URGENT_FROM = 2n;

/** The highest that prices can be after so many windows. One that is zero, with a minimum of zero, is taken to be free for good. */
export function forecastPrices(
  prices: readonly bigint[],
  minimumPrices: readonly bigint[],
  windows: number = FORECAST_WINDOWS,
): readonly bigint[] {
  return prices.map((price, i) => raised(price, minimumPrices[i] as bigint, windows));
}

/**
 * The least maxFee that makes a transaction with these units urgent, by a forecast of prices. Who names a session by the grant's id
 * allows for the credential, which may have to be sent in its place: that is no haste.
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
