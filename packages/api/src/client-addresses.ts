/**
 * Client address of a request that may come through reverse proxies.
 *
 *   socket address is no trusted proxy ---------------------------------> socket address; the header is ignored
 *   it is one: X-Forwarded-For from the right, past trusted proxies ----> the first address that is no trusted proxy
 *                                             \--invalid or loopback ---> "behind" the proxy that sent it
 *
 * Each proxy appends its client's address: entries left of the first untrusted one may be forged. The header never yields loopback, which
 * has extra rights.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { isLoopback, plainIPv4 } from './addresses.ts';

export interface ClientAddresses {
  of(request: Pick<IncomingMessage, 'headers' | 'socket'>): string;
  isProxy(address: string): boolean;
}

/** A longer chain is a loop or forged. */
const HOPS_MAX = 16;

/** Throws RangeError as parseTrustedProxy does. */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList();
  for (const proxy of trustedProxies) {
    const { address, bits, version } = parseTrustedProxy(proxy);
    trusted.addSubnet(address, bits, version);
  }
  const none = trustedProxies.length === 0;

  function isProxy(address: string): boolean {
    if (none) return false;
    const v4 = plainIPv4(address);
    if (v4 !== undefined) return trusted.check(v4);
    return isIP(address) === 6 && trusted.check(address, 'ipv6');
  }

  function of({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const asker = socket.remoteAddress ?? '';
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || !isProxy(asker)) return asker;
    const hops = String(forwarded).split(',', HOPS_MAX + 1);
    if (hops.length > HOPS_MAX) return behind(asker);
    let nearest = asker;
    for (const hop of hops.reverse()) {
      const address = hop.trim();
      if (isIP(address) === 0) return behind(nearest);
      if (!isProxy(address)) return isLoopback(address) ? behind(nearest) : address;
      nearest = address;
    }
    return behind(nearest);
  }

  return { of, isProxy };
}

/** For all clients that a proxy does not identify. */
const behind = (proxy: string): string => `behind ${proxy}`;

interface TrustedProxy {
  readonly address: string;
  /** Of the network prefix. */
  readonly bits: number;
  readonly version: 'ipv4' | 'ipv6';
}

/** Throws RangeError for text that is no address or network, and for a network of all addresses. */
export function parseTrustedProxy(text: string): TrustedProxy {
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  const bitsMax = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? bitsMax : Number(/^[0-9]{1,3}$/.test(prefix) ? prefix : Number.NaN);
  if (version === 0 || more.length > 0 || !(bits >= 1 && bits <= bitsMax)) {
    throw new RangeError(`must have addresses, or networks as 10.0.0.0/8 that are not everybody, not "${text}"`);
  }
  return { address, bits, version: version === 4 ? 'ipv4' : 'ipv6' };
}
