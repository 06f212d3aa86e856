/** The end of transactions that no block had by their expiry. */
import { ClientError } from '@slipstream/client';
import { expect, test } from 'vitest';
import { createSentTransactions } from '../src/fate/sent-transactions.ts';
import { EXPIRY_MARGIN_MS, settleOverdue } from '../src/fate/settle.ts';
import type { NodeHandle } from '../src/sending/node-handle.ts';

const EXPIRY_MS = 60_000;
const ID = 'aa';

interface Case {
  readonly answer: 'pending' | 'final' | 'expired' | 'unknown';
  readonly headMs: number;
  readonly restarts: number;
}

async function settled({ answer, headMs, restarts }: Case) {
  const sent = createSentTransactions();
  const transaction = { id: ID, bytes: new Uint8Array(1), node: 'home', nodeStarts: 0, intendedMs: 0 };
  sent.sent({ ...transaction, expiryMs: EXPIRY_MS, accepted: false, attested: false });
  sent.accepted(ID, 1);
  const client = {
    status: async () => ({ headTimestampMs: headMs }),
    transaction: async () => {
      if (answer === 'unknown') throw new ClientError('transaction-unknown', 'not known');
      return { status: answer };
    },
  };
  const nodes = [{ name: 'home', client, running: true, restarts }] as unknown as readonly NodeHandle[];
  await settleOverdue({ nodes, sent, wallMs: () => EXPIRY_MS + EXPIRY_MARGIN_MS + 1 });
  const { final, expired, lost, pending } = sent.counts();
  return { final, expired, lost, pending };
}

const open = { final: 0, expired: 0, lost: 0, pending: 0 };
const past = EXPIRY_MS + EXPIRY_MARGIN_MS + 1;

test.each([
  ['a node that never restarted lost what it does not know', 'unknown', past, 0, { lost: 1 }],
  ['a node that never restarted lost what it still calls pending', 'pending', past, 0, { lost: 1 }],
  ['what a restarted node does not know has expired', 'unknown', past, 1, { expired: 1 }],
  ['what a restarted node has in a chunk alone has expired', 'pending', past, 1, { expired: 1 }],
  ['nothing is judged before a block is past the expiry: pending', 'pending', EXPIRY_MS, 1, { pending: 1 }],
  ['nothing is judged before a block is past the expiry: unknown', 'unknown', EXPIRY_MS, 0, { pending: 1 }],
  ['an end that the node reports holds', 'final', EXPIRY_MS, 0, { final: 1 }],
  ['an expiry that the node reports holds', 'expired', past, 0, { expired: 1 }],
] as const)('%s', async (_, answer, headMs, restarts, end) => {
  expect(await settled({ answer, headMs, restarts })).toEqual({ ...open, ...end });
});
