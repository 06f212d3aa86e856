/**
 * Resender: a full node's second try. A home validator may be down or slow; what is still pending after resendMs goes to every
 * validator that is connected, and again each time that passes. A validator does not resend: it packs itself what no chunk holds in time.
 */
import type { Clock } from '@slipstream/ports';
import type { Forwarder } from './forwarder.ts';
import type { DisseminationLimits } from './limits.ts';
import type { Mempool } from './mempool.ts';

export interface Resender {
  stop(): void;
}

export function createResender(
  { clock, pool, forwarder }: { readonly clock: Clock; readonly pool: Mempool; readonly forwarder: Forwarder },
  { memberIndex }: { readonly memberIndex: number | undefined },
  { resendMs, resendTransactionsMax }: Pick<DisseminationLimits, 'resendMs' | 'resendTransactionsMax'>,
): Resender {
  let cancel: () => void = () => undefined;

  function sweep(): void {
    const arrivedBefore = clock.monotonicMs() - resendMs;
    let sent = 0;
    for (const { prepared, transaction, arrivedMs } of pool.entries()) {
      if (arrivedMs > arrivedBefore || sent++ >= resendTransactionsMax) break;
      forwarder.addForAll({ bytes: prepared.bytes, senderKey: transaction.body.sender.bytes });
    }
    arm();
  }

  function arm(): void {
    cancel = clock.after(resendMs, sweep);
  }

  if (memberIndex === undefined) arm();
  return { stop: () => cancel() };
}
