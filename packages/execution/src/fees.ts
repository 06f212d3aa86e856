/**
 * Fees: five dimensions, each with a price that is constant for a window of blocks and then moves toward its target.
 *
 *   fee = sum of units[i] * prices[i]
 *   after a window, with used = units of the window and goal = target * windowBlocks:
 *     used > goal: price + max(1, min(price / 8, price * (used - goal) / (8 * goal)))
 *     used < goal: price - max(1, min(price / 8, price * (goal - used) / (8 * goal))), not below the minimum
 *   a price below the minimum, which a new epoch may raise, rises by max(1, price / 8), not above the minimum
 *
 * All in integers, divisions rounded down, prices within 64 bits. A dimension whose initial and minimum price are zero stays free.
 * BOUND: over k windows a price p rises at most k times by max(1, floor(p / 8)).
 *
 * Source: the project's dissemination design, "Fees"; the step is that of EIP-1559, per window instead of per block.
 */
import { type FeeParameters, UNIT_DIMENSIONS, type Units } from '@slipstream/types';
import { AMOUNT_MAX } from './amount.ts';
import { ExecutionError } from './errors.ts';
import { FEES_KEY, type ReadState } from './state-keys.ts';

/** Largest change per window, as a part of the price. */
const STEP_DIVISOR = 8n;

const DIMENSIONS = UNIT_DIMENSIONS.length;
const VALUE_BYTES = 2 * 8 * DIMENSIONS;

export interface FeeState {
  /** Per unit, in the order of UNIT_DIMENSIONS. */
  readonly prices: readonly bigint[];
  /** Units used in the current window. */
  readonly used: readonly bigint[];
}

export function initialFees(parameters: FeeParameters): FeeState {
  return { prices: parameters.initialPrices, used: parameters.initialPrices.map(() => 0n) };
}

/** After a block at `height` that used `units`. Windows end at multiples of windowBlocks. */
export function feesAfterBlock(state: FeeState, units: Units, height: number, parameters: FeeParameters): FeeState {
  const used = state.used.map((sum, i) => minimum(sum + BigInt(units[i] as number), AMOUNT_MAX));
  if (height % parameters.windowBlocks !== 0) return { prices: state.prices, used };
  const prices = state.prices.map((price, i) => {
    const floor = parameters.minimumPrices[i] as bigint;
    if (parameters.initialPrices[i] === 0n && floor === 0n) return 0n;
    const goal = BigInt(parameters.targets[i] as number) * BigInt(parameters.windowBlocks);
    return nextPrice(price, used[i] as bigint, goal, floor);
  });
  return { prices, used: used.map(() => 0n) };
}

function nextPrice(price: bigint, used: bigint, goal: bigint, floor: bigint): bigint {
  if (price < floor) return minimum(price + maximum(1n, price / STEP_DIVISOR), floor);
  if (used === goal) return price;
  const distance = used > goal ? used - goal : goal - used;
  const most = price / STEP_DIVISOR;
  const proportional = goal === 0n ? most : (price * distance) / (STEP_DIVISOR * goal);
  const step = maximum(1n, minimum(most, proportional));
  if (used > goal) return minimum(price + step, AMOUNT_MAX);
  return maximum(price - step, floor);
}

export function encodeFees({ prices, used }: FeeState): Uint8Array {
  const value = new Uint8Array(VALUE_BYTES);
  const view = new DataView(value.buffer);
  for (const [i, number] of [...prices, ...used].entries()) view.setBigUint64(8 * i, number, true);
  return value;
}

/** Prices of the next block. Throws ExecutionError `state-corrupt`. */
export function readFees(read: ReadState, parameters: FeeParameters): FeeState {
  const value = read(FEES_KEY.bytes);
  if (value === undefined) return initialFees(parameters);
  if (value.length !== VALUE_BYTES) {
    throw new ExecutionError('state-corrupt', `the fee state has ${VALUE_BYTES} bytes, this one ${value.length}`, {});
  }
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const numbers = Array.from({ length: 2 * DIMENSIONS }, (_, i) => view.getBigUint64(8 * i, true));
  return { prices: numbers.slice(0, DIMENSIONS), used: numbers.slice(DIMENSIONS) };
}

function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function maximum(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
