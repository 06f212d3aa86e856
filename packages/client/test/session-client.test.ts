import { utf8 } from '@slipstream/primitives';
import { type Action, transactionCodec } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { credentialOf, person, sessionOf, testChain } from '../../execution/test/session-world.ts';
import { type Client, ClientError, keyPairFrom, openSession, type SignedTransaction } from '../src/index.ts';
import { createSessionClient } from '../src/session-client.ts';

const WRITE: Action = { kind: 'setData', name: 'n', value: utf8('v') };

/** A client whose chain remembers sessions, or forgets them, and tells what it was sent. */
async function recording() {
  const alice = person('alice');
  const identity = testChain('identity', { balances: [alice.account] });
  const made = sessionOf(identity, testChain('target', { trusted: [identity.rootKey] }), alice);
  const session = openSession(keyPairFrom(made.key.secret), await credentialOf(identity, made, alice));
  const sent: string[] = [];
  let answer: 'final' | 'expired' = 'final';
  let known = true;
  const client = {
    async submitAndWait({ bytes }: SignedTransaction) {
      const decoded = transactionCodec.decode(bytes);
      const scheme = decoded.ok ? decoded.value.auth.scheme : 'malformed';
      sent.push(scheme);
      if (scheme === 'session-hash' && !known) {
        throw new ClientError('invalid-transaction', 'not known', { problem: { reason: 'session-unknown' } });
      }
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
  it('sends the credential until the chain has carried out a transaction, then the grant’s id', async () => {
    const { act, sent, set } = await recording();
    set({ answer: 'expired' });
    await act();
    set({ answer: 'final' });
    for (let i = 0; i < 3; i++) await act();
    expect(sent).toEqual(['session', 'session', 'session-hash', 'session-hash']);
  });

  it('brings the credential again to a chain that does not know the id', async () => {
    const { act, sent, set } = await recording();
    await act();
    set({ known: false });
    expect((await act()).status).toBe('final');
    expect(sent).toEqual(['session', 'session-hash', 'session']);
  });
});
