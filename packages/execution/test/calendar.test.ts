import { toHex } from '@slipstream/primitives';
import { type Action, type PreparedTransaction, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSession } from '../src/index.ts';
import { SESSIONS_REMOVED_MAX } from '../src/sessions/calendar.ts';
import type { Executed } from './builders.ts';
import {
  bodyOf,
  byCredential,
  byHash,
  credentialOf,
  encoded,
  HOUR_MS,
  NOW_MS,
  person,
  prepared,
  sessionOf,
  startSalts,
  type TestChain,
  type TestSession,
  testChain,
} from './session-world.ts';

const ALICE = person('alice');
const DAY_MS = 24 * HOUR_MS;
const WRITE: Action = { kind: 'setData', name: 'n', value: new Uint8Array(1) };

function newChain(): TestChain {
  return testChain('identity', { balances: [ALICE.account] });
}

function grantsOn(chain: TestChain, daysAhead: readonly number[], atMs = NOW_MS): readonly TestSession[] {
  return daysAhead.map((days, i) =>
    sessionOf(chain, chain, ALICE, {
      key: `user ${i} ${atMs}`,
      service: `service ${i}`,
      expiryMs: Math.floor(atMs + days * DAY_MS),
    }),
  );
}

/** Of Alice, sixteen actions a transaction; not verified, as execution alone is looked at. */
function granting(chain: TestChain, sessions: readonly TestSession[], atMs: number): readonly PreparedTransaction[] {
  const auth = { scheme: 'ed25519', signature: new Uint8Array(64) } as const;
  return sessions.map(({ action }) =>
    prepared(
      encoded({ body: bodyOf(chain, { sender: ALICE.account, actions: [action], expiryMs: atMs + 30_000 }), auth }),
    ),
  );
}

function calendarKeys({ batch }: Executed): readonly string[] {
  return batch
    .filter(({ key }) => key[0] === 0x65)
    .map(({ key, value }) => `${toHex(key)} ${value ? 'set' : 'deleted'}`);
}

describe('session records', () => {
  it('leave the state a day after their expiry, with all their calendar entries', () => {
    const chain = newChain();
    const [session] = grantsOn(chain, [0.1]) as [TestSession];
    expect(chain.execute(granting(chain, [session], NOW_MS)).stats.sessions).toEqual({
      granted: 1,
      used: 0,
      made: 1,
      removed: 0,
    });
    const expiredDay = Math.floor(session.grant.expiryMs / DAY_MS);
    expect(chain.execute([], (expiredDay + 2) * DAY_MS - 1).stats.sessions.removed).toBe(0);
    expect(readSession(chain.read, session.grantId)).toBeDefined();
    const last = chain.execute([], (expiredDay + 2) * DAY_MS);
    expect(last.stats.sessions).toMatchObject({ made: 0, removed: 1 });
    expect(readSession(chain.read, session.grantId)).toBeUndefined();
    expect(calendarKeys(last)).toHaveLength(2);
    expect(last.batch.every(({ value }) => value === undefined)).toBe(true);
    expect(chain.execute([], (expiredDay + 9) * DAY_MS).batch).toHaveLength(0);
  });

  it('do not return: neither their credential nor their grant is valid any more', async () => {
    const identity = newChain();
    const target = testChain('target', { trusted: [identity.rootKey] });
    const session = sessionOf(identity, target, ALICE);
    const credential = await credentialOf(identity, session, ALICE);
    const use = (atMs: number) =>
      byCredential(target, session, credential, { actions: [WRITE], expiryMs: atMs + TRANSACTION_LIFE_MS_MAX });
    expect(target.execute([prepared(use(NOW_MS))]).stats.sessions).toMatchObject({ used: 1, made: 1 });
    const laterMs = NOW_MS + 3 * DAY_MS;
    expect(target.execute([], laterMs).stats.sessions.removed).toBe(1);
    const byId = byHash(target, session, { actions: [WRITE], expiryMs: laterMs + 30_000 });
    const { skipped } = target.execute([prepared(use(laterMs)), prepared(byId)], laterMs);
    expect(skipped.map(({ reason }) => reason)).toEqual(['session-expired', 'session-unknown']);
    const again = identity.execute(granting(identity, [session], laterMs), laterMs);
    expect(again.receipts[0]?.outcome).toMatchObject({ status: 'failed', code: 'session-expiry' });
  });

  it('that were never created cost a block nothing', () => {
    expect(newChain().execute([]).batch).toHaveLength(0);
  });

  it('leave the state in a bounded number per block', () => {
    const chain = newChain();
    const count = 2 * SESSIONS_REMOVED_MAX + 7;
    chain.execute(granting(chain, grantsOn(chain, Array(count).fill(0.5)), NOW_MS));
    const removed = [0, 1, 2, 3].map((i) => chain.execute([], NOW_MS + 5 * DAY_MS + i).stats.sessions.removed);
    expect(removed).toEqual([SESSIONS_REMOVED_MAX, SESSIONS_REMOVED_MAX, 7, 0]);
  });

  it('all leave, whatever created them, and every node writes the same bytes', () => {
    const block = fc.record({
      passedMs: fc.nat(9 * DAY_MS),
      lives: fc.array(fc.double({ min: 0.0001, max: 30, noNaN: true }), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 8 }), (blocks) => {
        const run = (): { readonly text: string; readonly left: number } => {
          startSalts();
          const chain = newChain();
          const texts: string[] = [];
          let standing = 0;
          let nowMs = NOW_MS;
          const play = (transactions: readonly PreparedTransaction[]): void => {
            const { batch, receiptBytes, stats } = chain.execute(transactions, nowMs);
            standing += stats.sessions.made - stats.sessions.removed;
            texts.push(...batch.map(({ key, value }) => `${toHex(key)}=${value ? toHex(value) : 'deleted'}`));
            texts.push(...receiptBytes.map(toHex));
          };
          for (const { passedMs, lives } of blocks) {
            nowMs += passedMs;
            play(granting(chain, grantsOn(chain, lives, nowMs), nowMs));
          }
          for (let i = 0; i < 6; i++) {
            nowMs += 31 * DAY_MS;
            play([]);
          }
          return { text: texts.join('\n'), left: standing };
        };
        const [once, again] = [run(), run()];
        expect(again.text).toBe(once.text);
        expect(once.left).toBe(0);
      }),
      { numRuns: 25 },
    );
  });
});
