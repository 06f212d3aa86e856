/** docs/protocol/dissemination.md, F1: the table of units is the one that docs/performance/unit-calibration.json gives. */
import { ROW_UNITS } from '@slipstream/distilled';
import { FREE_FEES, METERED_FEES } from '@slipstream/execution';
import type { Action, Transaction } from '@slipstream/types';
import {
  ACTIONS,
  ACTIONS_MAX,
  ISSUING_MEMBERS_MAX,
  TRANSACTION_BYTES_MAX,
  UNIT_DIMENSIONS,
  unitsOf,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { testChain } from '../../packages/execution/test/session-world.ts';
import {
  CALL_CASES,
  type CallMeasured,
  callUnitsOf,
  SMALL_UNITS,
  worstOfCalls,
} from '../../scripts/bench/application/units.ts';
import { CASES, PEOPLE, type Place } from '../../scripts/bench/calibration/cases.ts';
import { governanceCases, governanceTransaction } from '../../scripts/bench/calibration/governance.ts';
import { createGovernanceChain } from '../../scripts/bench/calibration/governance-chain.ts';
import { COSTS } from '../../scripts/bench/calibration/measure.ts';
import { ROW_CASES } from '../../scripts/bench/calibration/rows.ts';
import { computeUnits, type Measurements, rowUnitsOf, worstOf } from '../../scripts/bench/calibration/table.ts';
import { readRepository } from '../architecture/repository.ts';

const { cases, rows, calls } = JSON.parse(
  readRepository().find(({ path }) => path === 'docs/performance/unit-calibration.json')?.text ?? '{}',
) as {
  readonly cases: Measurements;
  readonly rows: { readonly cases: Measurements };
  readonly calls: { readonly cases: readonly CallMeasured[] };
};

const ALLOCATE = 3;
/** Cases that no price fits with the others, and how far they are off: docs/performance/units.md says why. */
const MISFITS: Readonly<
  Partial<Record<(typeof COSTS)[number], { readonly cases: readonly string[]; readonly worst: number }>>
> = {
  read: { cases: ['setData of 4096 over 4096 bytes', 'transferMany of 100 new accounts'], worst: 2.25 },
  disk: { cases: ['advanceIssuer of 4', 'register alone'], worst: 2.2 },
};
/** The same of rows, by case. */
const ROW_MISFITS: Readonly<Partial<Record<(typeof COSTS)[number], Readonly<Record<string, number>>>>> = {
  compute: { 'row of a small batch': 4 },
  read: { 'row of unknown entries': 5.2 },
};
const place: Place = { chain: testChain('units'), sender: PEOPLE[0] as Place['sender'], serial: 1, accounts: 1000 };

/** Its issuers' keys are certified by a root key, as those that were measured. */
const CERTIFIED = { root: { expiryMs: 1 }, proof: new Uint8Array() };

function unitsBy(scheme: Transaction['auth']['scheme'], actions: readonly Action[], bytes = 0): readonly number[] {
  return unitsOf({ auth: { scheme, credential: CERTIFIED }, body: { actions } } as unknown as Transaction, bytes);
}

const base = unitsBy('ed25519', []);

function computeOf(action: unknown): number {
  return (unitsBy('ed25519', [action as Action])[1] as number) - (base[1] as number);
}

const governed = createGovernanceChain();
const governance = await governanceCases(governed, 1);

describe('the units of a row', () => {
  it('are those that were charged when each of its cases was measured', () => {
    expect(Object.keys(rows.cases)).toEqual(ROW_CASES.map(({ name }) => name));
    for (const [name, { units }] of Object.entries(rows.cases)) expect(units, name).toEqual(ROW_UNITS);
  });

  it.each(COSTS)(
    'are in %s within a factor of two of what a row takes at the best price of transactions, but for named misfits',
    (name) => {
      const charged = ROW_UNITS[UNIT_DIMENSIONS.indexOf(name === 'disk' ? 'write' : name)] as number;
      const misfits = ROW_MISFITS[name] ?? {};
      const taken = rowUnitsOf(rows.cases, cases, name);
      expect([...taken.keys()]).toContain('row');
      for (const [label, units] of taken) {
        const most = misfits[label] ?? 2;
        expect(units, label).toBeLessThanOrEqual(most * charged);
        expect(most * units, label).toBeGreaterThanOrEqual(charged);
      }
    },
  );
});

describe('the units of a call', () => {
  it('are by its ticks and its input within a factor of two of what it takes at the best price of built-in actions', () => {
    const units = callUnitsOf(calls.cases, cases);
    expect(units.map(({ name }) => name)).toEqual(CALL_CASES.map(({ name }) => name));
    expect(worstOfCalls(units)).toBeLessThanOrEqual(2);
    for (const { name, charged, taken } of units)
      if (taken <= SMALL_UNITS) expect(charged, name).toBeLessThanOrEqual(2 * SMALL_UNITS);
  });
});

describe('the table of units', () => {
  it('has the compute that follows from the measured costs', () => {
    const value = (length: number) => computeOf({ kind: 'setData', value: new Uint8Array(length) });
    const authority = (scheme: 'session' | 'session-hash') => (unitsBy(scheme, [])[1] as number) - (base[1] as number);
    expect(base[1]).toBe(50);
    const follows = computeUnits((name) => (cases[name] as Measurements[string]).cost.compute);
    const units = {
      transfer: computeOf({ kind: 'transfer' }),
      output: computeOf({ kind: 'transferMany', outputs: new Array(100) }) / 100,
      setData: value(0),
      value: value(256) - value(0),
      addDevice: computeOf({ kind: 'addDevice' }),
      removeDevice: computeOf({ kind: 'removeDevice' }),
      grantSession: computeOf({ kind: 'grantSession' }),
      revokeSession: computeOf({ kind: 'revokeSession' }),
      session: authority('session'),
      'session-hash': authority('session-hash'),
    };
    expect(Object.keys(units)).toEqual(Object.keys(follows));
    for (const [part, unit] of Object.entries(units)) expect(follows[part], part).toContain(unit);
  });

  it.each(CASES)('is the one that was measured: $name', (one) => {
    const { units } = cases[one.name] as Measurements[string];
    const now = unitsBy(one.scheme ?? 'ed25519', one.actions(place), units[0]);
    // Charged is what was allocated, and not the bound.
    expect(now.toSpliced(ALLOCATE, 1)).toEqual(units.toSpliced(ALLOCATE, 1));
    expect(now[ALLOCATE]).toBeGreaterThanOrEqual(units[ALLOCATE] as number);
  });

  it('is measured for each kind of action', () => {
    const measured = [
      ...CASES.flatMap((one) => one.actions(place)),
      ...governance.map((one) => one.signed(0).action),
    ].map(({ kind }) => kind);
    // Applications declare the units of their actions.
    const builtIn = Object.keys(ACTIONS).filter((kind) => kind !== 'call');
    expect([...new Set(measured)].sort()).toEqual(builtIn.sort());
  });

  it.each(governance)('is the one that was measured: $name', (one) => {
    const { units } = cases[one.name] as Measurements[string];
    const { transaction, bytes } = governanceTransaction(governed, one, 0);
    const now = unitsOf(transaction, bytes.length);
    // Lengths of names differ by a byte.
    const withoutBytes = (all: readonly number[]) => all.toSpliced(ALLOCATE, 1).slice(1);
    expect(withoutBytes(now)).toEqual(withoutBytes(units));
    expect(now[ALLOCATE]).toBeGreaterThanOrEqual(units[ALLOCATE] as number);
  });

  it('lets a block of each preset hold any transaction of one kind of action: as many, and as large, as may be', () => {
    const actions = [
      ...CASES.flatMap((one) => one.actions(place)),
      ...governance.map((one) => one.signed(0).action),
      { kind: 'advanceIssuer', members: new Array(ISSUING_MEMBERS_MAX) } as unknown as Action,
    ];
    for (const action of actions) {
      const units = unitsBy('session', new Array<Action>(ACTIONS_MAX).fill(action), TRANSACTION_BYTES_MAX);
      for (const { limits } of [FREE_FEES, METERED_FEES]) {
        expect(
          units.map((unit, i) => Math.min(unit, limits[i] as number)),
          action.kind,
        ).toEqual(units);
      }
    }
  });

  it.each(COSTS)(
    'has one price for %s that is within a factor of two of each measured cost, but for named misfits',
    (name) => {
      const misfits = MISFITS[name];
      const others = Object.entries(cases).filter(([label]) => misfits?.cases.includes(label) !== true);
      expect(Object.keys(cases)).toEqual(expect.arrayContaining([...(misfits?.cases ?? [])]));
      expect(worstOf(Object.fromEntries(others), name)).toBeLessThanOrEqual(2);
      expect(worstOf(cases, name)).toBeLessThanOrEqual(misfits?.worst ?? 2);
    },
  );
});
