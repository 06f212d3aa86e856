/** 64-bit amounts with overflow checks. */

export const AMOUNT_MAX = 2n ** 64n - 1n;

/** Undefined above 64 bits. */
export function addAmounts(a: bigint, b: bigint): bigint | undefined {
  const sum = a + b;
  return sum > AMOUNT_MAX ? undefined : sum;
}

/** Undefined below zero. */
export function subtractAmounts(a: bigint, b: bigint): bigint | undefined {
  return b > a ? undefined : a - b;
}
