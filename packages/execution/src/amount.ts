/** 64-bit amounts with overflow checks. */

export const AMOUNT_MAX = 2n ** 64n - 1n;

/** Undefined when the sum does not fit 64 bits. */
export function addAmounts(a: bigint, b: bigint): bigint | undefined {
  const sum = a + b;
  return sum > AMOUNT_MAX ? undefined : sum;
}

/** Undefined when the difference would be negative. */
export function subtractAmounts(a: bigint, b: bigint): bigint | undefined {
  return b > a ? undefined : a - b;
}
