import { describe, expect, test } from 'vitest';
import {
  ago,
  amount,
  bytes,
  count,
  counted,
  duration,
  percent,
  rateMeasure,
  shortHex,
  span,
} from '../src/design/format.ts';

test.each([
  [0, '0 ms'],
  [0.4213, '0.42 ms'],
  [12.345, '12.3 ms'],
  [20, '20 ms'],
  [120.4, '120 ms'],
  [1_240, '1.24 s'],
  [125_000, '2 min 5 s'],
  [null, '–'],
  [undefined, '–'],
  [Number.NaN, '–'],
])('a duration of %s reads %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [90_061_000, '1 d 1 h'],
])('a span of %i ms reads %s', (ms, text) => {
  expect(span(ms)).toBe(text);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [21_700, '21.7 kB'],
  [2_900_000, '2.9 MB'],
  [123_000_000_000, '123 GB'],
])('%i bytes read %s', (value, text) => {
  expect(bytes(value)).toBe(text);
});

test.each([
  [0, 'validator', '0 validators'],
  [1, 'validator', '1 validator'],
  [2_000, 'header', '2,000 headers'],
])('%i of a %s reads %s', (value, noun, text) => {
  expect(counted(value, noun)).toBe(text);
});

test('amounts of up to 20 digits are grouped without losing one', () => {
  expect(amount('18446744073709551615')).toBe('18,446,744,073,709,551,615');
  expect(amount('0')).toBe('0');
});

describe('small ones', () => {
  test('counts, shares and rates', () => {
    expect(count(1_234_567)).toBe('1,234,567');
    expect(percent(1)).toBe('100 %');
    expect(percent(0.2667)).toBe('26.7 %');
    expect(rateMeasure(73)).toEqual({ text: '73.0', unit: '/s' });
  });

  test('a long name keeps its two ends, a short one stays whole', () => {
    expect(shortHex(`0x${'ab'.repeat(32)}`)).toBe('0xababab…abab');
    expect(shortHex('0x0102')).toBe('0x0102');
  });

  test('a recent time is shown as just now', () => {
    expect(ago(300)).toBe('just now');
    expect(ago(65_000)).toBe('1 min 5 s ago');
  });
});
