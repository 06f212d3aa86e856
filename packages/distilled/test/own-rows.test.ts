/** What a client sees before it signs a batch: a broker cannot add a row of the client, change one, or leave one out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOwnRows, columnsOf, type OwnRows, proveRows, type Row, rowToBytes } from '../src/index.ts';
import { headerOf, row } from './world.ts';

const LIMITS = { expiryMs: Number.MAX_SAFE_INTEGER, feeCap: 1_000n };
const ME = 50;

/** What an honest broker shows of a batch: own rows and both neighbours. */
function shown(rows: readonly Row[], own: readonly Row[], header = headerOf(rows)): OwnRows {
  const columns = columnsOf(rows);
  const first = rows.findIndex(({ sender, sequence }) => sender === ME && sequence === own[0]?.sequence);
  const places = [first - 1, ...own.map((_, i) => first + i), first + own.length];
  const within = places.filter((place) => place >= 0 && place < rows.length);
  const leaves = new Map(within.map((place) => [place >> 4, proveRows(columns, place)]));
  return { header, own, first, leaves: [...leaves.values()] };
}

const others = (from: number, count: number) => Array.from({ length: count }, (_, i) => row(from + i, 1, 5));
const mine = (count: number) => Array.from({ length: count }, (_, i) => row(ME, 2, 9, i + 1));
const faultOf = (view: OwnRows, limits = LIMITS) => {
  const checked = checkOwnRows(view, limits);
  return checked.ok ? undefined : checked.error;
};

describe('a client signs', () => {
  it('whatever the place and number of its rows', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 40 }), fc.nat(40), (before, own, after) => {
        const rows = [...others(0, before), ...mine(own), ...others(ME + 1, after)];
        expect(faultOf(shown(rows, mine(own)))).toBeUndefined();
      }),
    );
  });
});

describe('a client does not sign', () => {
  const rows = [...others(0, 20), ...mine(3), ...others(60, 20)];

  it('when the broker forged a row of it before or after its own: rows ascend, so it is a neighbour', () => {
    const forgedAfter = [...others(0, 20), ...mine(3), row(ME, 7, 1_000_000, 4), ...others(60, 20)];
    expect(faultOf(shown(forgedAfter, mine(3)))).toBe('forged-row');
    const own = mine(3).map((each) => ({ ...each, sequence: each.sequence + 1 }));
    const forgedBefore = [...others(0, 20), row(ME, 7, 1_000_000, 1), ...own, ...others(60, 20)];
    expect(faultOf(shown(forgedBefore, own))).toBe('forged-row');
  });

  it('when a neighbour is withheld from it', () => {
    const view = shown(rows, mine(3));
    const last = view.leaves.filter(({ first }) => first === 16);
    expect(faultOf({ ...view, leaves: last })).toBeUndefined();
    const shifted = [...others(0, 13), ...mine(3), row(ME, 7, 1_000_000, 4), ...others(60, 20)];
    const partial = shown(shifted, mine(3));
    expect(faultOf({ ...partial, leaves: partial.leaves.filter(({ first }) => first === 0) })).toBe('gap');
  });

  it('when its row is half of one and half of the next', () => {
    const own = [row(ME, 7, (5n << 32n) | 9n, 3, 2)];
    // Bytes 12 to 24 of the first and 0 to 12 of the second are the own row.
    const halves = [row(4, 1, BigInt(ME) << 32n, 7, 9), row(5, 3, 2, 1), row(ME, 8, 1_000_000, 3)];
    const forged = [row(3, 1, 1), ...halves, row(60, 1, 1)];
    const view = { ...shown(forged, own), own, first: 1.5 };
    expect(view.leaves[0]?.rows.subarray(36, 60)).toEqual(rowToBytes(own[0] as Row));
    expect(faultOf(view)).toBe('gap');
    expect(faultOf({ ...view, first: -1 })).toBe('gap');
  });

  it.each([
    ['recipient', { recipient: 3 }],
    ['amount', { amount: 10n }],
    ['sequence', { sequence: 9 }],
    ['tag', { tag: 1 }],
  ])('when the %s of a row is another', (_, change) => {
    const wanted = mine(3).map((each, i) => (i === 2 ? { ...each, ...change } : each));
    expect(faultOf(shown(rows, wanted))).toBe('other-row');
  });

  it('when a row is left out', () => {
    const missing = [...others(0, 20), ...mine(2), ...others(60, 20)];
    expect(faultOf(shown(missing, mine(3)))).toBe('other-row');
  });

  it('when a leaf is of another tree', () => {
    const view = shown(rows, mine(3));
    expect(faultOf({ ...view, header: headerOf(others(0, 43)) })).toBe('path');
  });

  it('when the header expires later, or may cost more, than it allows', () => {
    const header = headerOf(rows, { expiryMs: 2_000, feeCap: 50n });
    const view = shown(rows, mine(3), header);
    expect(faultOf(view, { expiryMs: 2_000, feeCap: 50n })).toBeUndefined();
    expect(faultOf(view, { expiryMs: 1_999, feeCap: 50n })).toBe('expiry');
    expect(faultOf(view, { expiryMs: 2_000, feeCap: 49n })).toBe('fee-cap');
  });

  it('for rows of two senders, or none', () => {
    expect(faultOf({ ...shown(rows, mine(3)), own: [] })).toBe('no-rows');
    expect(faultOf({ ...shown(rows, mine(3)), own: [...mine(1), row(60, 1, 5)] })).toBe('no-rows');
  });
});
