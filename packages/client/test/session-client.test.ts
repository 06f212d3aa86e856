import { utf8 } from '@slipstream/primitives';
import { type Action, transactionCodec } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { credentialOf, person, sessionOf, testChain } from '../../execution/test/session-world.ts';
import { type Client, ClientError, keyPairFrom, openSession, type SignedTransaction } from '../src/index.ts';
import { createSessionClient } from '../src/session-client.ts';
import { submitAndWait } from '../src/submit-and-wait.ts';

const WRITE: Action = { kind: 'setData', name: 'n', value: utf8('v') };

const UNKNOWN = new ClientError('invalid-transaction', 'not known', { problem: { reason: 'session-unknown' } });

async function sessionOfAlice(onOwnChain = false) {
  const alice = person('alice');
  const identity = testChain('identity', { balances: [alice.account] });
  const target = onOwnChain ? identity : testChain('target', { trusted: [identity.rootKey] });
  const made = sessionOf(identity, target, alice);
  return openSession(keyPairFrom(made.key.secret), await credentialOf(identity, made, alice));
}

/** Each submission gets the next refusal, or is accepted; every queried transaction is final. */
async function lossy() {
  const session = await sessionOfAlice();
  const sent: { readonly id: string; readonly scheme: string }[] = [];
  const refusals: ClientError[] = [];
  const client = {
    async submit({ id, transaction }: SignedTransaction) {
      sent.push({ id, scheme: transaction.auth.scheme });
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
      return { id, status: 'pending' };
    },
    transaction: async (id: string) => ({ id, status: 'final', receipt: {} }),
    submitAndWait: (transaction: SignedTransaction) => submitAndWait(client as unknown as Client, transaction),
  };
  const acting = createSessionClient(client as unknown as Client);
  return { act: () => acting.act([WRITE], session), sent, refusals };
}

/** The chain remembers or forgets sessions; submissions are recorded. */
async function recording(onOwnChain = false) {
  const session = await sessionOfAlice(onOwnChain);
  const sent: string[] = [];
  let answer: 'final' | 'expired' = 'final';
  let known = true;
  const client = {
    async submitAndWait({ bytes }: SignedTransaction) {
      const decoded = transactionCodec.decode(bytes);
      const scheme = decoded.ok ? decoded.value.auth.scheme : 'malformed';
      sent.push(scheme);
      if (scheme === 'session-hash' && !known) throw UNKNOWN;
      return answer === 'final' ? { status: 'final', receipt: {} } : { status: 'expired' };
    },
  };
  const acting = createSessionClient(client as unknown as Client);
  return {
    act: () => acting.act([WRITE], session),
    sent,
    set(next: { readonly answer?: 'final' | 'expired'; readonly known?: boolean }) {
      answer = next.answer ?? answer;
      known = next.known ?? known;
    },
  };
}

describe('a session client', () => {
  it('sends the credential until the chain has executed a transaction, then the grant’s id', async () => {
    const { act, sent, set } = await recording();
    set({ answer: 'expired' });
    await act();
    set({ answer: 'final' });
    for (let i = 0; i < 3; i++) await act();
    expect(sent).toEqual(['session', 'session', 'session-hash', 'session-hash']);
  });

  it('sends the grant’s id alone on the chain that issued it, whose later committees no credential shows', async () => {
    const { act, sent } = await recording(true);
    await act();
    expect(sent).toEqual(['session-hash']);
  });

  it('sends the credential again to a chain that does not know the id', async () => {
    const { act, sent, set } = await recording();
    await act();
    set({ known: false });
    expect((await act()).status).toBe('final');
    expect(sent).toEqual(['session', 'session-hash', 'session']);
  });

  it('pays once when the answer to the id form was lost and the next node does not know the session', async () => {
    const { act, sent, refusals } = await lossy();
    await act();
    sent.length = 0;
    refusals.push(new ClientError('timeout', 'taken in, and no answer'), UNKNOWN);
    expect((await act()).status).toBe('final');
    expect(sent.map(({ scheme }) => scheme)).toEqual(['session-hash', 'session-hash', 'session']);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  it('waits for the id form when the node has that one', async () => {
    const { act, sent, refusals } = await lossy();
    await act();
    sent.length = 0;
    refusals.push(UNKNOWN, new ClientError('conflict', 'known with another signature'));
    expect((await act()).status).toBe('final');
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });
});
