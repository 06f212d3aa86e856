/**
 * Resender: a full node's second attempt, for an offline or slow home validator.
 *
 * A transaction pending for resendMs goes to every connected validator, and again each resendMs. Batches go round robin, since the oldest
 * may be ones that no validator accepts. A validator does not resend: it packs late transactions itself.
 */
import type { Clock } from '@slipstream/ports';
import type { EpochCommittee } from '../epochs/committees.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { Mempool } from '../pool/mempool.ts';
import type { PoolTransaction } from '../pool/pool-transaction.ts';
import type { Forwarder } from './forwarder.ts';

export interface Resender {
  stop(): void;
}

export function createResender(
  {
    clock,
    pool,
    forwarder,
    committees,
  }: {
    readonly clock: Clock;
    readonly pool: Mempool;
    readonly forwarder: Forwarder;
    readonly committees: { readonly current: Pick<EpochCommittee, 'self'> };
  },
  { resendMs, resendTransactionsMax }: Pick<DisseminationLimits, 'resendMs' | 'resendTransactionsMax'>,
): Resender {
  let cancel: () => void = () => undefined;

  let done = new WeakSet<PoolTransaction>();

  /** Oldest first. */
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
    if (committees.current.self === undefined) resend();
    arm();
  }

  function resend(): void {
    const first = take(resendTransactionsMax);
    const left = resendTransactionsMax - first.length;
    if (left > 0) done = new WeakSet(first);
    for (const entry of [...first, ...take(left)]) forwarder.addForAll(entry);
  }

  function arm(): void {
    cancel = clock.after(resendMs, sweep);
  }

  arm();
  return { stop: () => cancel() };
}
