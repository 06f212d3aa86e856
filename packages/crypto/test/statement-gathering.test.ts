import type { Priority, Statement } from '@slipstream/ports';
import { expect, test } from 'vitest';
import { createStatementGathering } from '../src/statement-gathering.ts';

/** Holds when the message begins with 0. */
function statement(first: number): Statement {
  const message = new Uint8Array(32).fill(first);
  return { kind: 'vote', epoch: 0, message, signer: 0, signature: new Uint8Array(192) };
}

function gathering(fail = false) {
  const batches: { readonly size: number; readonly priority: Priority }[] = [];
  const holds = createStatementGathering({
    async checkBatch(batch, priority) {
      batches.push({ size: batch.length, priority });
      if (fail) throw new Error('the lane is full');
      return batch.map(({ message }) => message[0] === 0);
    },
  });
  return { batches, holds };
}

test('statements of one step are one batch for each priority, and each has its own answer', async () => {
  const { batches, holds } = gathering();
  const answers = [0, 1, 0].map((first) => holds(statement(first), 'chunk'));
  const other = holds(statement(0), 'client');
  expect(await Promise.all([...answers, other])).toEqual([true, false, true, true]);
  expect(batches).toEqual([
    { size: 3, priority: 'chunk' },
    { size: 1, priority: 'client' },
  ]);
});

test('the next step begins a new batch, while the one before is unanswered', async () => {
  const { batches, holds } = gathering();
  const first = holds(statement(0), 'chunk');
  await Promise.resolve();
  const second = holds(statement(1), 'chunk');
  expect(await Promise.all([first, second])).toEqual([true, false]);
  expect(batches.map(({ size }) => size)).toEqual([1, 1]);
});

test('a batch that the verifier rejects fails each of its statements', async () => {
  const { holds } = gathering(true);
  const settled = await Promise.allSettled([holds(statement(0), 'chunk'), holds(statement(1), 'chunk')]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
