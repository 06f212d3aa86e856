import { multiaddr } from '@multiformats/multiaddr';
import { expect, test } from 'vitest';
import { hostOf, networkOf, parseAddress } from '../src/addresses.ts';

test.each([
  ['10.0.0.1:9000', '/ip4/10.0.0.1/tcp/9000'],
  ['[::1]:9000', '/ip6/::1/tcp/9000'],
  ['validator-3:9000', '/dns4/validator-3/tcp/9000'],
  ['/ip4/10.0.0.1/tcp/0', '/ip4/10.0.0.1/tcp/0'],
])('%s is %s', (address, expected) => {
  expect(parseAddress(address).toString()).toBe(expected);
});

test.each(['', 'nowhere', ':9000', 'host:', 'host:70000', 'host:port', '/ip4/1.2.3', '256.1.1.1:1'])(
  '"%s" is refused with a message that states the form of an address',
  (address) => {
    expect(() => parseAddress(address)).toThrow(/host:port/);
  },
);

test('connections are counted by host, whatever their port', () => {
  expect(hostOf(multiaddr('/ip4/10.0.0.1/tcp/9000'))).toBe('10.0.0.1');
});

test('arrivals are counted by IPv4 address, or by the 64-bit prefix of an IPv6 one', () => {
  const network = (host: string) => networkOf(multiaddr(`${host}/tcp/9000`));
  expect(network('/ip4/10.0.0.1')).toBe('10.0.0.1');
  expect(network('/ip6/::ffff:10.0.0.1')).toBe('10.0.0.1');
  expect(network('/ip6/2001:db8:1:2::3')).toBe(network('/ip6/2001:db8:1:2:ffff::4'));
  expect(network('/ip6/2001:db8:1:2::3')).not.toBe(network('/ip6/2001:db8:1:3::3'));
});
