/**
 * Resender: a full node's second try, for a home validator that is offline or slow.
 *
 * A transaction that is pending after resendMs goes to every connected validator, and again each time that passes. When more are due than
 * go at a time, each has its turn, since the oldest may be those that no validator accepts. A validator does not resend: it packs itself
 * what no chunk has in time.
 */
import type { Clock } from '@slipstream/ports';
import type { DisseminationLimits } from '../limits.ts';
import type { Mempool } from '../pool/mempool.ts';
import type { PoolTransaction } from '../pool/pool-transaction.ts';
import type { Forwarder } from './forwarder.ts';

export interface Resender {
  stop(): void;
}

export function createResender(
  { clock, pool, forwarder }: { readonly clock: Clock; readonly pool: Mempool; readonly forwarder: Forwarder },
  { memberIndex }: { readonly memberIndex: number | undefined },
  { resendMs, resendTransactionsMax }: Pick<DisseminationLimits, 'resendMs' | 'resendTransactionsMax'>,
): Resender {
  let cancel: () => void = () => undefined;

  /** Those that had their turn in this round. */
  let done = new WeakSet<PoolTransaction>();

  /** The oldest that are due and have not had their turn. */
  function take(most: number): readonly PoolTransaction[] {
    const arrivedBefore = clock.monotonicMs() - resendMs;
    const taken: PoolTransaction[] = [];
    for (const entry of pool.entries()) {
      if (entry.arrivedMs > arrivedBefore || taken.length >= most) break;
      if (!done.has(entry)) taken.push(entry);
    }
    for (const entry of taken) done.add(entry);
    return taken;
  }

  function sweep(): void {
    const first = take(resendTransactionsMax);
    const left = resendTransactionsMax - first.length;
    if (left > 0) done = new WeakSet(first);
    for (const { bytes } of [...first, ...take(left)]) forwarder.addForAll(bytes);
    arm();
  }

  function arm(): void {
    cancel = clock.after(resendMs, sweep);
  }

  if (memberIndex === undefined) arm();
  return { stop: () => cancel() };
}
