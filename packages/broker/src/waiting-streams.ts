/** Streams without a login: they need no account, so few are held, of an address and of all. */
import type { KnownAddresses } from './known-addresses.ts';
import type { BrokerLimits } from './limits.ts';

interface WaitingStreams {
  /** Until it has logged in, or its carrier is closed: the idempotent release. Undefined: there are too many. */
  add(address: string): (() => void) | undefined;
}

export function createWaitingStreams(
  { waitingMax, waitingKnownReserve, waitingOfAddressMax }: BrokerLimits,
  known: Pick<KnownAddresses, 'has'>,
): WaitingStreams {
  const counts = new Map<string, number>();
  let total = 0;

  return {
    add(address) {
      const count = counts.get(address) ?? 0;
      const most = known.has(address) ? waitingMax : waitingMax - waitingKnownReserve;
      if (total >= most || count >= waitingOfAddressMax) return undefined;
      total++;
      counts.set(address, count + 1);
      let isWaiting = true;
      return () => {
        if (!isWaiting) return;
        isWaiting = false;
        total--;
        const left = (counts.get(address) ?? 1) - 1;
        if (left === 0) counts.delete(address);
        else counts.set(address, left);
      };
    },
  };
}
