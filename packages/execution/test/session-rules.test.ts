import { utf8 } from '@slipstream/primitives';
import {
  type Action,
  ANCHOR_DEVICES_MAX,
  GRANT_LIFE_MS_MAX,
  grantsInOutput,
  type PreparedTransaction,
  pseudonymOf,
  scopeOf,
  serviceSaltOf,
  unitsOf,
} from '@slipstream/types';
import { beforeEach, describe, expect, it } from 'vitest';
import { readBalance, readDevices, readSession } from '../src/index.ts';
import {
  byCredential,
  byHash,
  credentialOf,
  HOUR_MS,
  NOW_MS,
  person,
  prepared,
  RICH,
  sessionOf,
  signed,
  type TestChain,
  testChain,
} from './session-world.ts';

const alice = person('alice');
const phone = person('alice’s phone');
const mallory = person('mallory');
const shop = person('shop');

let identity: TestChain;
let target: TestChain;

beforeEach(() => {
  identity = testChain('identity', { balances: [alice.account] });
  target = testChain('target', { trusted: [identity.rootKey] });
});

const pay = (amount: bigint): Action => ({ kind: 'transfer', to: shop.account, amount });
const write: Action = { kind: 'setData', name: 'n', value: utf8('v') };

function outcome(chain: TestChain, transaction: PreparedTransaction, timestampMs = NOW_MS): string {
  const { receipts, skipped } = chain.execute([transaction], timestampMs);
  const [receipt] = receipts;
  if (receipt === undefined) return `skipped: ${skipped[0]?.reason}`;
  return receipt.outcome.status === 'success' ? 'success' : receipt.outcome.code;
}

describe('devices', () => {
  const add = (device: typeof phone): Action => ({ kind: 'addDevice', anchor: alice.account, device: device.account });
  const remove = (device: typeof phone): Action => ({
    kind: 'removeDevice',
    anchor: alice.account,
    device: device.account,
  });

  it('let an anchor be its own first device, and a device add another', () => {
    expect(readDevices(identity.read, alice.account)).toEqual([alice.account]);
    expect(outcome(identity, signed(identity, mallory, add(mallory)))).toBe('not-a-device');
    expect(outcome(identity, signed(identity, alice, add(phone)))).toBe('success');
    expect(outcome(identity, signed(identity, alice, add(phone)))).toBe('device-known');
    expect(outcome(identity, signed(identity, phone, add(person('tablet'))))).toBe('success');
    expect(readDevices(identity.read, alice.account)).toHaveLength(3);
  });

  it('let a device remove the anchor’s own key, and never the last one', () => {
    expect(outcome(identity, signed(identity, alice, remove(alice)))).toBe('last-device');
    expect(outcome(identity, signed(identity, alice, add(phone)))).toBe('success');
    expect(outcome(identity, signed(identity, phone, remove(mallory)))).toBe('device-unknown');
    expect(outcome(identity, signed(identity, phone, remove(alice)))).toBe('success');
    expect(outcome(identity, signed(identity, alice, add(mallory)))).toBe('not-a-device');
    expect(outcome(identity, signed(identity, phone, remove(phone)))).toBe('last-device');
  });

  it('are at most eight', () => {
    for (let i = 1; i < ANCHOR_DEVICES_MAX; i++) {
      expect(outcome(identity, signed(identity, alice, add(person(`device ${i}`))))).toBe('success');
    }
    expect(outcome(identity, signed(identity, alice, add(phone)))).toBe('device-limit');
  });
});

describe('grants', () => {
  it('are made by devices alone, once, and for at most thirty days', () => {
    const session = sessionOf(identity, target, alice);
    expect(outcome(identity, signed(identity, mallory, session.action))).toBe('not-a-device');
    const late = { ...session.action, expiryMs: NOW_MS + GRANT_LIFE_MS_MAX + 1 };
    expect(outcome(identity, signed(identity, alice, late))).toBe('session-expiry');
    expect(outcome(identity, signed(identity, alice, { ...session.action, expiryMs: NOW_MS }))).toBe('session-expiry');
    expect(outcome(identity, signed(identity, alice, session.action))).toBe('success');
    expect(outcome(identity, signed(identity, alice, session.action))).toBe('session-exists');
  });

  it('put their id in the receipt, seven at most in one transaction', () => {
    const sessions = Array.from({ length: 8 }, (_, i) => sessionOf(identity, target, alice, { key: `key ${i}` }));
    const actions = sessions.map(({ action }) => action);
    const [receipt] = identity.execute([signed(identity, alice, ...actions.slice(0, 7))]).receipts;
    expect(grantsInOutput(receipt?.output ?? new Uint8Array(1))).toEqual(sessions.slice(0, 7).map((s) => s.grantId));
    const others = sessions.map(({ action }) => ({ ...action, spendLimit: 5n }));
    expect(outcome(identity, signed(identity, alice, ...others))).toBe('output-too-long');
    expect(readSession(identity.read, sessions[7]?.grantId as never)).toBeUndefined();
  });

  it('give each service another pseudonym, which no one else can be granted', () => {
    const salt = new Uint8Array(32).fill(9);
    const at = (service: string, anchor = alice) => pseudonymOf(anchor.account, service, serviceSaltOf(salt, service));
    expect(at('a.example')).not.toEqual(at('b.example'));
    expect(at('a.example', mallory)).not.toEqual(at('a.example'));
    const stolen = { ...sessionOf(identity, target, alice).action, anchor: mallory.account };
    const made = sessionOf(identity, target, alice);
    expect(outcome(identity, signed(identity, mallory, stolen))).toBe('success');
    expect(readSession(identity.read, made.grantId)).toBeUndefined();
  });
});

describe('a session on its own chain', () => {
  it('acts by its id once it is granted, until it is revoked', () => {
    const session = sessionOf(identity, identity, alice);
    expect(
      outcome(identity, signed(identity, alice, pay(0n), { kind: 'transfer', to: session.account, amount: 500n })),
    ).toBe('success');
    expect(outcome(identity, prepared(byHash(identity, session, { actions: [pay(1n)] })))).toBe(
      'skipped: session-unknown',
    );
    expect(outcome(identity, signed(identity, alice, session.action))).toBe('success');
    expect(outcome(identity, prepared(byHash(identity, session, { actions: [pay(1n)] })))).toBe('success');
    const revoke: Action = { kind: 'revokeSession', owner: alice.account, grantId: session.grantId };
    expect(outcome(identity, signed(identity, mallory, { ...revoke, owner: mallory.account }))).toBe('not-a-device');
    expect(outcome(identity, signed(identity, mallory, revoke))).toBe('not-a-device');
    expect(outcome(identity, signed(identity, alice, revoke))).toBe('success');
    expect(outcome(identity, prepared(byHash(identity, session, { actions: [pay(1n)] })))).toBe(
      'skipped: session-revoked',
    );
    expect(readBalance(identity.read, shop.account)).toBe(1n);
  });

  it('acts only on its target, whatever the state of the issuer contains', () => {
    const session = sessionOf(identity, target, alice);
    expect(outcome(identity, signed(identity, alice, session.action))).toBe('success');
    expect(outcome(identity, prepared(byHash(identity, session, { actions: [write] })))).toBe(
      'skipped: session-foreign-chain',
    );
  });
});

describe('a session on another chain', () => {
  it('sends its credential once, and acts by its id from then on', async () => {
    const session = sessionOf(identity, target, alice);
    const credential = await credentialOf(identity, session, alice);
    expect(outcome(target, prepared(byHash(target, session, { actions: [write] })))).toBe('skipped: session-unknown');
    expect(outcome(target, prepared(byCredential(target, session, credential, { actions: [write] })))).toBe('success');
    expect(outcome(target, prepared(byHash(target, session, { actions: [write] })))).toBe('success');
    expect(readSession(target.read, session.grantId)).toMatchObject({
      owner: session.account,
      spent: 0n,
      revoked: false,
    });
  });

  it('expires by the timestamp of the block, and so does the committee certificate of its credential', async () => {
    const session = sessionOf(identity, target, alice);
    const credential = await credentialOf(identity, session, alice);
    const { expiryMs } = session.grant;
    const at = (timestampMs: number) => ({ actions: [write], expiryMs: timestampMs + 1_000 });
    const use = (timestampMs: number) =>
      outcome(target, prepared(byCredential(target, session, credential, at(timestampMs))), timestampMs);
    expect(use(expiryMs - 1)).toBe('success');
    expect(use(expiryMs)).toBe('skipped: session-expired');
    expect(outcome(target, prepared(byHash(target, session, at(expiryMs))), expiryMs)).toBe('skipped: session-expired');
    const long = sessionOf(identity, target, alice, { expiryMs: NOW_MS + 48 * HOUR_MS, key: 'long' });
    const certified = await credentialOf(identity, long, alice);
    const end = identity.committeeCertificate.expiryMs;
    expect(outcome(target, prepared(byCredential(target, long, certified, at(end))), end)).toBe(
      'skipped: session-committee-expired',
    );
  });

  it('executes the actions of its scope, and may always end itself', async () => {
    const session = sessionOf(identity, target, alice, { scope: scopeOf(['setData']) });
    const credential = await credentialOf(identity, session, alice);
    expect(outcome(target, prepared(byCredential(target, session, credential, { actions: [write] })))).toBe('success');
    const out = ['transfer', 'grant'].map((what) => (what === 'transfer' ? pay(1n) : session.action));
    for (const action of out) {
      expect(outcome(target, prepared(byHash(target, session, { actions: [write, action] })))).toBe(
        'skipped: session-out-of-scope',
      );
    }
    const revoke: Action = { kind: 'revokeSession', owner: session.account, grantId: session.grantId };
    expect(outcome(target, prepared(byHash(target, session, { actions: [revoke] })))).toBe('success');
    expect(outcome(target, prepared(byHash(target, session, { actions: [write] })))).toBe('skipped: session-revoked');
    expect(outcome(target, prepared(byCredential(target, session, credential, { actions: [write] })))).toBe(
      'skipped: session-revoked',
    );
  });

  it('spends at most its limit, excluding rejected amounts, and a new proof of its grant changes nothing', async () => {
    const session = sessionOf(identity, target, alice, { spendLimit: 100n });
    const credential = await credentialOf(identity, session, alice);
    target = testChain('target', { trusted: [identity.rootKey], balances: [session.account] });
    expect(outcome(target, prepared(byCredential(target, session, credential, { actions: [pay(60n)] })))).toBe(
      'success',
    );
    expect(outcome(target, prepared(byHash(target, session, { actions: [pay(41n)] })))).toBe(
      'skipped: session-spend-limit',
    );
    expect(outcome(target, prepared(byCredential(target, session, credential, { actions: [pay(41n)] })))).toBe(
      'skipped: session-spend-limit',
    );
    expect(outcome(target, prepared(byHash(target, session, { actions: [pay(1n)], maxFee: 40n })))).toBe(
      'skipped: session-spend-limit',
    );
    expect(outcome(target, prepared(byHash(target, session, { actions: [pay(40n)] })))).toBe('success');
    expect(readSession(target.read, session.grantId)?.spent).toBe(100n);
    expect(readBalance(target.read, session.account)).toBe(RICH - 100n);
  });

  it('is charged the fee alone, not the amounts, of a failed transaction', async () => {
    const session = sessionOf(identity, target, alice, { spendLimit: RICH + 1n });
    const credential = await credentialOf(identity, session, alice);
    target = testChain('target', { trusted: [identity.rootKey], balances: [session.account] });
    const tooMuch = [pay(RICH), pay(1n)];
    expect(outcome(target, prepared(byCredential(target, session, credential, { actions: tooMuch })))).toBe(
      'insufficient-balance',
    );
    expect(readSession(target.read, session.grantId)?.spent).toBe(0n);
    expect(outcome(target, prepared(byHash(target, session, { actions: [pay(RICH)] })))).toBe('success');
    expect(readSession(target.read, session.grantId)?.spent).toBe(RICH);
  });

  it('is identified by its own key and account alone', async () => {
    const session = sessionOf(identity, target, alice);
    const credential = await credentialOf(identity, session, alice);
    expect(outcome(target, prepared(byCredential(target, session, credential, { actions: [write] })))).toBe('success');
    const thief = { ...session, key: mallory };
    expect(outcome(target, prepared(byHash(target, thief, { actions: [write] })))).toBe('skipped: session-wrong-key');
    const other = { ...session, account: sessionOf(identity, target, mallory).account };
    expect(outcome(target, prepared(byHash(target, other, { actions: [write] })))).toBe(
      'skipped: session-wrong-account',
    );
  });

  it('costs forty signatures of compute with its credential, and next to nothing by its id', async () => {
    const session = sessionOf(identity, target, alice);
    const credential = await credentialOf(identity, session, alice);
    const plain = signed(target, alice, write);
    const computeOf = ({ transaction, bytes }: Pick<PreparedTransaction, 'transaction' | 'bytes'>) =>
      unitsOf(transaction, bytes.length)[1] as number;
    expect(computeOf(byCredential(target, session, credential, { actions: [write] })) - computeOf(plain)).toBe(2_000);
    expect(computeOf(byHash(target, session, { actions: [write] })) - computeOf(plain)).toBe(5);
  });
});
