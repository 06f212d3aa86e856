/** What a node took in and then died with. */
import { expect, test } from 'vitest';
import { sendForgotten } from '../src/fate/send-again.ts';
import { createSentTransactions } from '../src/fate/sent-transactions.ts';
import type { NodeHandle } from '../src/sending/node-handle.ts';
import type { SendOutcome } from '../src/sending/submit.ts';

interface FakeNode {
  name: string;
  running: boolean;
  restarts: number;
}

function setting(...states: readonly FakeNode[]) {
  const nodes = states as unknown as readonly NodeHandle[];
  const sent = createSentTransactions();
  for (const { name } of states) {
    const [bytes, intendedMs, expiryMs] = [new Uint8Array([name.length]), 10, 60_000];
    sent.sent({
      id: `of ${name}`,
      bytes,
      node: name,
      nodeStarts: 0,
      intendedMs,
      expiryMs,
      accepted: false,
      attested: false,
    });
    sent.accepted(`of ${name}`, 20);
  }
  const asked: (readonly [string, string])[] = [];
  async function round(outcome: SendOutcome['type']): Promise<void> {
    const submit = async (node: NodeHandle, transfers: readonly { readonly id: string }[]) => {
      for (const { id } of transfers) asked.push([node.name, id]);
      return transfers.map(() => ({ type: outcome, reason: '', retryAfterMs: undefined }) as SendOutcome);
    };
    await sendForgotten({ nodes, sent, submit, unit: () => 0 });
  }
  return { sent, asked, round };
}

const alive = (): FakeNode => ({ name: 'alive', running: true, restarts: 0 });

test.each([
  { what: 'is down', state: { running: false, restarts: 0 } },
  { what: 'was restarted', state: { running: true, restarts: 1 } },
])(
  'transactions of a node that $what since are resent to a running one, until that one accepts them',
  async ({ state }) => {
    const { sent, asked, round } = setting(alive(), { name: 'killed', ...state });
    await round('refused');
    await round('accepted');
    await round('accepted');
    expect(asked).toEqual([
      ['alive', 'of killed'],
      ['alive', 'of killed'],
    ]);
    expect(sent.pending().map(({ node }) => node)).toEqual(['alive', 'alive']);
    expect(sent.counts()).toMatchObject({ sent: 2, accepted: 2, pending: 2 });
  },
);

test('nothing is resent while the nodes that accepted it run, or when none runs', async () => {
  const calm = setting(alive());
  await calm.round('accepted');
  const dark = setting({ name: 'killed', running: false, restarts: 0 });
  await dark.round('accepted');
  expect([calm.asked, dark.asked]).toEqual([[], []]);
});
