/** Sessions that call applications: bit 8 + n of the scope, and coins within the limit. */
import { sha256, utf8 } from '@slipstream/primitives';
import { type Action, accountKeyText, isScope, scopeActions, scopeOf } from '@slipstream/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { readSession, sessionRefusalOf } from '../src/index.ts';
import { builtApplication, exampleSource, type TestApplication } from './application-builders.ts';
import { byHash, NOW_MS, person, prepared, sessionOf, signed, type TestChain, testChain } from './session-world.ts';

const alice = person('alice');
const shop = person('shop');
let escrow: TestApplication;
let orders: TestApplication;

beforeAll(async () => {
  [escrow, orders] = await Promise.all([
    builtApplication(exampleSource('escrow')),
    builtApplication(exampleSource('orders')),
  ]);
});

function outcome(chain: TestChain, transaction: Parameters<TestChain['execute']>[0][number]): string {
  const { receipts, skipped } = chain.execute([transaction], NOW_MS);
  const [receipt] = receipts;
  if (receipt === undefined) return `skipped: ${skipped[0]?.reason}`;
  return receipt.outcome.status === 'success' ? 'success' : receipt.outcome.code;
}

const open = (value: string): Action =>
  escrow.call('open', {
    seller: accountKeyText(shop.account),
    arbiter: accountKeyText(shop.account),
    value,
    deadlineMs: NOW_MS + 1,
  });
const nothing: Action = { kind: 'setData', name: 'n', value: utf8('v') };

/** Of a session's account. */
const FUNDS = 1_000n;

/** A chain that runs escrow (0) and orders (1), and a session for it, whose account alice pays. */
function granted(scope: number, spendLimit = 100n) {
  const chain = testChain('own', { balances: [alice.account], applications: [escrow, orders] });
  const session = sessionOf(chain, chain, alice, { scope, spendLimit });
  const fund: Action = { kind: 'transfer', to: session.account, amount: FUNDS };
  return { chain, session, grant: () => outcome(chain, signed(chain, alice, fund, session.action)) };
}

describe('the scope of a session', () => {
  it('names applications by bit 8 + n of u32', () => {
    expect(scopeOf(['call:0', 'setData', 'call:23'])).toBe(2 ** 31 + 2 ** 8 + 2 ** 3);
    expect(scopeActions(2 ** 31 + 2 ** 9)).toEqual(['call:1', 'call:23']);
    expect([2 ** 31, 2 ** 8, 2 ** 7, 2 ** 4].map(isScope)).toEqual([true, true, false, false]);
    for (const name of ['call:24', 'call:01', 'call:', 'call', 'register'])
      expect(() => scopeOf([name])).toThrow(RangeError);
  });

  it('lets it call the applications named, and nothing else', () => {
    const { chain, session, grant } = granted(scopeOf(['call:0']));
    expect(grant()).toBe('success');
    const use = (...actions: readonly Action[]) => outcome(chain, prepared(byHash(chain, session, { actions })));
    expect(use(open('1'))).toBe('success');
    const other = orders.manifest.actions[0]?.number ?? 0;
    const foreign: Action = { kind: 'call', application: 'orders', action: other, input: new Uint8Array(0) };
    expect(use(foreign)).toBe('skipped: session-out-of-scope');
    expect(use({ ...foreign, application: 'none' } as Action)).toBe('skipped: session-out-of-scope');
    expect(use(open('1'), nothing)).toBe('skipped: session-out-of-scope');
  });

  it('without applications calls none', () => {
    const { chain, session, grant } = granted(scopeOf(['setData', 'transfer']));
    expect(grant()).toBe('success');
    const call = byHash(chain, session, { actions: [open('1')] });
    expect(outcome(chain, prepared(call))).toBe('skipped: session-out-of-scope');
    const terms = { nowMs: NOW_MS, numberOfApplication: () => 0 };
    expect(sessionRefusalOf(chain.read, prepared(call).transaction as never, prepared(call).id, terms)).toBe(
      'session-out-of-scope',
    );
  });

  it('of an application that this chain does not run is not granted', () => {
    expect(granted(scopeOf(['call:2'])).grant()).toBe('application-unknown');
    expect(granted(scopeOf(['call:1', 'transfer'])).grant()).toBe('success');
    const { chain } = granted(scopeOf(['call:0']));
    const elsewhere = sessionOf(chain, { genesisHash: sha256(utf8('another')) as never }, alice, {
      scope: scopeOf(['call:9']),
    });
    expect(outcome(chain, signed(chain, alice, elsewhere.action))).toBe('success');
  });
});

describe('the limit of a session', () => {
  it('holds for the coins that its calls collect, which fail above it', () => {
    const { chain, session, grant } = granted(scopeOf(['call:0', 'transfer']));
    expect(grant()).toBe('success');
    const use = (...actions: readonly Action[]) => outcome(chain, prepared(byHash(chain, session, { actions })));
    const spent = () => readSession(chain.read, session.grantId)?.spent;
    expect(use(open('60'))).toBe('success');
    expect(spent()).toBe(60n);
    expect(use(open('41'))).toBe('session-limit');
    expect(spent()).toBe(60n);
    expect(use({ kind: 'transfer', to: shop.account, amount: 10n }, open('31'))).toBe('session-limit');
    expect(use({ kind: 'transfer', to: shop.account, amount: 10n }, open('30'))).toBe('success');
    expect(spent()).toBe(100n);
  });

  it('does not count what a failed call would have collected', () => {
    const { chain, session, grant } = granted(scopeOf(['call:0']), 2n * FUNDS);
    expect(grant()).toBe('success');
    const use = (...actions: readonly Action[]) => outcome(chain, prepared(byHash(chain, session, { actions })));
    expect(use(open(String(FUNDS + 1n)))).not.toBe('success');
    expect(readSession(chain.read, session.grantId)?.spent).toBe(0n);
    expect(use(open(String(FUNDS)))).toBe('success');
    expect(readSession(chain.read, session.grantId)?.spent).toBe(FUNDS);
  });
});
