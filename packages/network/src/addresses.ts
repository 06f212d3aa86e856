/** Multiaddrs, and `host:port` as operators write it. */
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr';
import { toHex } from '@slipstream/primitives';
import { NetworkError } from './errors.ts';

/** In the multiaddr protocol table; 16 bytes follow. */
const IP6_CODE = 41;
const IP4_IN_IP6 = '00000000000000000000ffff';

/** Throws NetworkError `address-malformed`. */
export function parseAddress(address: string): Multiaddr {
  try {
    if (address.startsWith('/')) return multiaddr(address);
    const { host, port } = splitHostPort(address);
    if (host.includes(':')) return multiaddr(`/ip6/${host}/tcp/${port}`);
    return multiaddr(/^[0-9.]+$/.test(host) ? `/ip4/${host}/tcp/${port}` : `/dns4/${host}/tcp/${port}`);
  } catch (cause) {
    const message = `"${address}" is no address: write host:port or a multiaddr such as /ip4/10.0.0.1/tcp/9000`;
    throw new NetworkError('address-malformed', message, { address }, cause);
  }
}

function splitHostPort(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  const digits = address.slice(at + 1);
  const port = Number(digits);
  if (at < 1 || host === '' || !/^[0-9]+$/.test(digits) || port > 65_535) throw new Error('not host:port');
  return { host, port };
}

export function hostOf(address: Multiaddr): string {
  return address.getComponents()[0]?.value ?? address.toString();
}

/** The IPv4 address (also if written as IPv6), or the first 64 bits of an IPv6 one: one subscriber has that prefix. */
export function networkOf(address: Multiaddr): string {
  const { bytes } = address;
  if (bytes[0] !== IP6_CODE) return hostOf(address);
  const ip = bytes.subarray(1, 17);
  return toHex(ip.subarray(0, 12)) === IP4_IN_IP6 ? ip.subarray(12).join('.') : `${toHex(ip.subarray(0, 8))}/64`;
}
