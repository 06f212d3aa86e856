import { multiaddr } from '@multiformats/multiaddr';
import { expect, test } from 'vitest';
import { hostOf, parseAddress } from '../src/addresses.ts';

test.each([
  ['10.0.0.1:9000', '/ip4/10.0.0.1/tcp/9000'],
  ['[::1]:9000', '/ip6/::1/tcp/9000'],
  ['validator-3:9000', '/dns4/validator-3/tcp/9000'],
  ['/ip4/10.0.0.1/tcp/0', '/ip4/10.0.0.1/tcp/0'],
])('%s is %s', (address, expected) => {
  expect(parseAddress(address).toString()).toBe(expected);
});

test.each(['', 'nowhere', ':9000', 'host:', 'host:70000', 'host:port', '/ip4/1.2.3', '256.1.1.1:1'])(
  '"%s" is no address, and the message says what is',
  (address) => {
    expect(() => parseAddress(address)).toThrow(/host:port/);
  },
);

test('connections are counted by host, whatever their port', () => {
  expect(hostOf(multiaddr('/ip4/10.0.0.1/tcp/9000'))).toBe('10.0.0.1');
});
