/** Request rate and open connections. One host may use a whole IPv6 /64, so that counts as one address. */
import { isIPv4, isIPv6 } from 'node:net';
import { createRateLimiter, type MonotonicClock } from '@slipstream/primitives';

export function isLoopback(address: string): boolean {
  return address === '::1' || plainIPv4(address)?.startsWith('127.') === true;
}

/** Also an IPv4 address mapped into IPv6 (`::ffff:`). */
export function plainIPv4(address: string): string | undefined {
  const mapped = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return isIPv4(mapped) ? mapped : undefined;
}

/** An IPv4 address, an IPv6 /64 or a loopback address. */
export function addressGroup(address: string): string {
  const v4 = plainIPv4(address);
  if (v4 !== undefined) return v4;
  if (isLoopback(address)) return address;
  const bare = address.split('%')[0] ?? address;
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::');
  const groups = head.split(':');
  // The first four groups; "::" before the fourth stands for zeros.
  const network =
    groups.length >= 4 || tail === undefined ? groups.slice(0, 4) : [...groups, '0', '0', '0'].slice(0, 4);
  return `${network.join(':')}::/64`;
}

interface RequestLimiter {
  /** 0: may pass, else ms until a request may. */
  take(address: string): number;
}

interface RequestRates {
  readonly requestsPerSecond: number;
  readonly requestsBurst: number;
  readonly loopbackRequestsPerSecond: number;
  readonly addressesMax: number;
}

export function createRequestLimiter(clock: MonotonicClock, limits: RequestRates): RequestLimiter {
  const { requestsPerSecond, requestsBurst, loopbackRequestsPerSecond } = limits;
  const remote = { perSecond: requestsPerSecond, burst: requestsBurst };
  const loopback = {
    perSecond: loopbackRequestsPerSecond,
    burst: Math.max(loopbackRequestsPerSecond, requestsBurst),
  };
  const limiter = createRateLimiter<string>(clock, {
    rate: (group) => (isLoopback(group) ? loopback : remote),
    keysMax: limits.addressesMax,
  });

  return {
    take(address) {
      const group = addressGroup(address);
      return limiter.take(group) ? 0 : limiter.waitMs(group);
    },
  };
}

interface OpenCounter {
  readonly total: number;
  /** Returns the idempotent close; undefined: a maximum is reached. A shared address (loopback, a proxy) may hold half of the total. */
  open(address: string, isShared?: boolean): (() => void) | undefined;
}

export function createOpenCounter(totalMax: number, perAddressMax: number): OpenCounter {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    get total() {
      return total;
    },
    open(address, isShared = isLoopback(address)) {
      const group = addressGroup(address);
      const count = counts.get(group) ?? 0;
      const most = isShared ? Math.max(perAddressMax, Math.floor(totalMax / 2)) : perAddressMax;
      if (total >= totalMax || count >= most) return undefined;
      total += 1;
      counts.set(group, count + 1);
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        total -= 1;
        const left = (counts.get(group) ?? 1) - 1;
        if (left === 0) counts.delete(group);
        else counts.set(group, left);
      };
    },
  };
}
