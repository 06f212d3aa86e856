/** Fee parameters that `init` writes into a genesis file, in the order of UNIT_DIMENSIONS. */
import type { FeeParameters, Units } from '@slipstream/types';

/**
 * Per block: four full chunks of plain transfers (10,000 each, 200 bytes a transfer), which execute in well under one network delay.
 * Bandwidth: four chunks of the largest size.
 */
const LIMITS: Units = [8 * 1024 * 1024, 4_000_000, 400_000, 16 * 1024 * 1024, 400_000];
/** Half-full blocks leave prices unchanged. */
const TARGETS: Units = LIMITS.map((limit) => limit / 2);
const WINDOW_BLOCKS = 100;

/** For development: every transaction is free. */
export const FREE_FEES: FeeParameters = {
  initialPrices: [0n, 0n, 0n, 0n, 0n],
  minimumPrices: [0n, 0n, 0n, 0n, 0n],
  targets: TARGETS,
  limits: LIMITS,
  windowBlocks: WINDOW_BLOCKS,
};

/** A plain transfer costs at least a few thousand of the smallest unit. */
export const METERED_FEES: FeeParameters = {
  ...FREE_FEES,
  initialPrices: [10n, 20n, 100n, 10n, 100n],
  minimumPrices: [1n, 1n, 1n, 1n, 1n],
};
