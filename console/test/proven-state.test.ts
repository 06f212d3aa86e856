/** Accounts, data and sessions that the page shows, verified with their proofs. */
import type { Client } from '@slipstream/client';
import { openLightClient } from '@slipstream/client/light';
import { type AccountView, stateProofToJson } from '@slipstream/schema';
import { genesisToJson } from '@slipstream/types';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stateKeys } from '../../packages/client/src/index.ts';
import { ALICE, AT, BALANCE, proofOf } from '../../packages/client/test/proven-state.ts';
import { genesis } from '../../packages/client/test/real-chain.ts';
import { answerTo } from '../src/proof/answer.ts';
import type { Question } from '../src/proof/verify-message.ts';

class NoSocket {
  addEventListener(): void {}
  close(): void {}
}

function ask(question: Question, { flip = false, client = {} as Client, newest = 0 } = {}) {
  const light = openLightClient({
    genesis: genesisToJson(genesis),
    urls: ['http://node'],
    checks: 'inline',
    WebSocket: NoSocket,
    fetch: async () => Response.json({ items: [], next: null }),
  });
  onTestFinished(() => light.close());
  const head = () => ({ height: newest }) as ReturnType<typeof light.head>;
  return answerTo({ question, flip }, { light: async () => ({ judge: light.judge, head }), client });
}

const proof = stateProofToJson(proofOf([stateKeys.account(ALICE)]));
const shown: AccountView = { account: ALICE, balance: BALANCE.toString(), exists: true, height: AT, proof };
const account = (fields: Partial<AccountView> = {}): Question => ({
  kind: 'account',
  account: ALICE,
  shown: { ...shown, ...fields },
});

describe('a balance', () => {
  test('that is proven is verified, with the height that certified it', async () => {
    expect(await ask(account())).toMatchObject({ outcome: 'verified', certified: { epoch: 0 }, reason: null });
  });

  test('other than that of its proof is refused, with both', async () => {
    const verification = await ask(account({ balance: '77' }));
    expect(verification).toMatchObject({
      outcome: 'refused',
      reason: `this node says a balance of 77, its proof says ${BALANCE}`,
      certified: null,
    });
    expect(verification.steps.find(({ outcome }) => outcome === 'failed')?.name).toBe('claims');
  });

  test('with another field than its proof is refused', async () => {
    expect(await ask(account({ index: 3 }))).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('/'),
    });
  });

  test('with any bit of its proof changed is refused', async () => {
    for (let round = 0; round < 16; round++) expect((await ask(account(), { flip: true })).outcome).toBe('refused');
  });

  test('without a proof so far is not provable yet', async () => {
    const { proof: _, ...unproven } = shown;
    expect(await ask({ kind: 'account', account: ALICE, shown: unproven })).toMatchObject({ outcome: 'not-yet' });
  });

  test('of a state far below the newest proven height is old', async () => {
    expect(await ask(account(), { newest: AT + 64 })).toMatchObject({ outcome: 'verified' });
    expect(await ask(account(), { newest: AT + 65 })).toMatchObject({
      outcome: 'old',
      reason: expect.stringContaining(`height ${AT}`),
    });
  });
});

describe('what the proof alone shows', () => {
  const clientWith = (key: Uint8Array) => ({ call: async () => stateProofToJson(proofOf([key])) }) as unknown as Client;

  test('is the value of data, or that there is none', async () => {
    const of = { type: 'data', account: ALICE, name: 'colour' } as const;
    const client = clientWith(stateKeys.data(ALICE, 'colour'));
    expect(await ask({ kind: 'state', of }, { client })).toMatchObject({
      outcome: 'verified',
      entry: { kind: 'data', value: '0x010203' },
    });
    const absent = { ...of, name: 'size' };
    expect(
      await ask({ kind: 'state', of: absent }, { client: clientWith(stateKeys.data(ALICE, 'size')) }),
    ).toMatchObject({ outcome: 'verified', entry: { kind: 'data', value: null } });
    // A proof of another key than asked for.
    expect(await ask({ kind: 'state', of: absent }, { client })).toMatchObject({ outcome: 'refused', entry: null });
  });

  test('is an entry of an application, by the key that the page makes', async () => {
    const key = Uint8Array.of(7);
    const of = { type: 'entry', application: 1, table: 2, key } as const;
    const client = clientWith(stateKeys.entry(1, 2, key));
    expect(await ask({ kind: 'state', of }, { client })).toMatchObject({
      outcome: 'verified',
      entry: { kind: 'entry', value: null, height: AT },
    });
    expect(await ask({ kind: 'state', of: { ...of, table: 3 } }, { client })).toMatchObject({
      outcome: 'refused',
      entry: null,
    });
  });

  test('is that a session does not exist', async () => {
    const id = `0x${'ab'.repeat(32)}`;
    const client = clientWith(stateKeys.session(id));
    expect(await ask({ kind: 'state', of: { type: 'session', id } }, { client })).toMatchObject({
      outcome: 'verified',
      entry: { kind: 'session', session: null },
    });
  });
});
