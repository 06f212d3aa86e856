import { asId, type GenesisHash } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import {
  buildTransaction,
  type Client,
  ClientError,
  keyPairFrom,
  type SignedTransaction,
  signTransaction,
  transfer,
} from '../src/index.ts';
import { submitAndWait } from '../src/submit-and-wait.ts';

const key = keyPairFrom(new Uint8Array(32).fill(9));

function payment(): SignedTransaction {
  const body = {
    genesisHash: asId<GenesisHash>(new Uint8Array(32)),
    sender: key.account,
    actions: [transfer(key.accountText, 1n)],
    expiryMs: Date.now() + 1_000,
  };
  return signTransaction(buildTransaction(body), key);
}

const EXPIRED = new ClientError('invalid-transaction', 'expired', { problem: { reason: 'expired' } });

/** Submissions end with these errors in turn, then are taken in; whatever is asked for is final. */
function clientThatThrows(...errors: readonly ClientError[]): Client {
  const left = [...errors];
  const client = {
    async submit({ id }: SignedTransaction) {
      const error = left.shift();
      if (error !== undefined) throw error;
      return { id, status: 'pending' };
    },
    transaction: async (id: string) => ({ id, status: 'final' }),
  };
  return client as unknown as Client;
}

describe('a transaction whose answer was lost', () => {
  it.each(['timeout', 'network'] as const)(
    'by %s may be in: it is asked for, though it is called expired',
    async (code) => {
      const client = clientThatThrows(new ClientError(code, 'the answer was lost'), EXPIRED);
      expect((await submitAndWait(client, payment())).status).toBe('final');
    },
  );

  it('is none that every node refused: then expired is the end', async () => {
    const refused = new ClientError('overloaded', 'not taken in');
    await expect(submitAndWait(clientThatThrows(refused, EXPIRED), payment())).rejects.toBe(EXPIRED);
  });

  it('is asked for when the node has it with another authority', async () => {
    const client = clientThatThrows(new ClientError('conflict', 'known with another signature'));
    expect((await submitAndWait(client, payment())).status).toBe('final');
  });
});
