/** Prices, targets and limits of units in /metrics, by dimension; execution counts the units of committed blocks. */
import type { Telemetry } from '@slipstream/ports';
import type { Fees } from '@slipstream/schema';
import { type FeeParameters, UNIT_DIMENSIONS } from '@slipstream/types';

const gauge = (metric: string) => metric;

/** By field of Fees; metrics without `slipstream_`. */
export const FEE_METRICS: Readonly<Record<keyof Fees, string>> = {
  height: 'pipeline_committed_height',
  prices: gauge('execution_unit_price'),
  minimumPrices: gauge('execution_unit_price_minimum'),
  targets: gauge('execution_unit_target'),
  limits: gauge('execution_unit_limit'),
  windowBlocks: gauge('execution_price_window_blocks'),
  windowEndsAt: gauge('execution_price_window_end_height'),
};

export function reportFees(
  telemetry: Pick<Telemetry, 'gauge'>,
  { minimumPrices, targets, limits, windowBlocks }: FeeParameters,
  { prices, height }: { readonly prices: readonly bigint[]; readonly height: number },
): void {
  for (const [field, values] of Object.entries({ prices, minimumPrices, targets, limits })) {
    for (const [i, dimension] of UNIT_DIMENSIONS.entries()) {
      telemetry.gauge(FEE_METRICS[field as keyof Fees], Number(values[i]), { dimension });
    }
  }
  telemetry.gauge(FEE_METRICS.windowBlocks, windowBlocks);
  telemetry.gauge(FEE_METRICS.windowEndsAt, (Math.floor(height / windowBlocks) + 1) * windowBlocks);
}
