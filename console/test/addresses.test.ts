import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flipBit } from '../src/proof/flip-bit.ts';
import { href, parseRoute } from '../src/shell/router.ts';
import { parseQuery } from '../src/views/explorer/search.ts';
import { placeOf } from '../src/views/peers/peers-table.tsx';
import { idOf } from './live-messages.ts';

test('any route survives a round trip through its address', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }).filter((part) => part.isWellFormed())), (rest) => {
      expect(parseRoute(href('explorer', ...rest))).toEqual({ view: 'explorer', rest });
    }),
  );
});

test('an unknown address leads to the overview', () => {
  for (const hash of ['', '#', '#/', '#/nowhere/5', '#/%E0%A4%A']) expect(parseRoute(hash).view).toBe('overview');
});

test('a search distinguishes heights, accounts and ids by their form', () => {
  expect(parseQuery(' 1,234 ')).toEqual({ type: 'block', block: '1234' });
  expect(parseQuery('latest')).toEqual({ type: 'block', block: 'latest' });
  expect(parseQuery(idOf(7))).toEqual({ type: 'id', id: idOf(7) });
  expect(parseQuery(idOf(7).slice(2).toUpperCase())).toEqual({ type: 'id', id: idOf(7) });
  expect(parseQuery(`0x01${'ab'.repeat(32)}`)).toMatchObject({ type: 'account' });
  expect(parseQuery('<script>')).toEqual({ type: 'unclear' });
});

test('an address in any form is shown as host and port', () => {
  expect(placeOf('/ip4/10.0.0.7/tcp/9000/p2p/12D3Koo')).toBe('10.0.0.7:9000');
  expect(placeOf('/ip6/::1/tcp/9000')).toBe('[::1]:9000');
  expect(placeOf('127.0.0.1:9000')).toBe('127.0.0.1:9000');
  expect(placeOf(null)).toBe('–');
});

test('a flipped bit changes exactly one bit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.nat(), (bytes, at) => {
      const ssz = `0x${Buffer.from(bytes).toString('hex')}`;
      const bit = at % (bytes.length * 8);
      const flipped = Buffer.from(flipBit(ssz, bit).value.slice(2), 'hex');
      const ones = bytes.reduce(
        (sum, byte, i) => sum + (byte ^ (flipped[i] ?? 0)).toString(2).replaceAll('0', '').length,
        0,
      );
      expect(ones).toBe(1);
    }),
  );
});
