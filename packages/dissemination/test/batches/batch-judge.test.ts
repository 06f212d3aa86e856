/** When a judge drops a batch: what waits must not stay for ever, and a stop rejects each promise where it is awaited. */
import type { DistilledClaim } from '@slipstream/ports';
import { expect, it } from 'vitest';
import { createBatchJudge } from '../../src/batches/batch-judge.ts';
import { openBatch, type StoredBatch } from '../../src/batches/stored-batch.ts';
import { batchBytes, directoryUpTo, HEIGHT } from '../harness/batches.ts';
import { fakeVerifier } from '../harness/fake-signatures.ts';
import { FOREVER, GENESIS_HASH } from '../harness/network.ts';

function stored(...form: Parameters<typeof batchBytes>): StoredBatch {
  const opened = openBatch(batchBytes(...form), GENESIS_HASH);
  if (!opened.ok) throw new Error(opened.error);
  return opened.value;
}

/** Its verifier is busy until `answer`. */
function busyJudge() {
  const answer = Promise.withResolvers<void>();
  const checkDistilled = async (claims: readonly DistilledClaim[]) => {
    await answer.promise;
    return claims.map(() => true);
  };
  const verifier = { checkDistilled, checkAccounts: fakeVerifier(() => {}).checkAccounts };
  const judge = createBatchJudge({ directory: directoryUpTo(HEIGHT), verifier }, { genesisHash: GENESIS_HASH });
  return { judge, answer: answer.resolve };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('drops a batch whose chunk is gone before its turn, though its knownAt never comes (D25)', async () => {
  const { judge, answer } = busyJudge();
  const first = judge.ahead(stored(), 'a');
  await settled();
  const far = stored({ senders: [45], header: { knownAt: 2 ** 50 } });
  const late = judge.ahead(far, 'b');
  judge.forget(far);
  answer();
  expect([await first, await late]).toEqual(['valid', 'unjudged']);
  await settled();
  expect(judge.stats()).toEqual({ waiting: 0, lagging: 0 });
});

it('judges a batch that a block needs, though its chunk is gone', async () => {
  const { judge, answer } = busyJudge();
  const first = judge.ahead(stored(), 'a');
  await settled();
  const batch = stored();
  void judge.ahead(batch, 'b');
  const needed = judge.needed(batch, FOREVER);
  judge.forget(batch);
  answer();
  expect([await first, await needed]).toEqual(['valid', true]);
});

it('rejects once, with the signal’s reason, for a block that is abandoned after the stop', async () => {
  const { judge } = busyJudge();
  const unhandled: unknown[] = [];
  const listener = (cause: unknown) => void unhandled.push(cause);
  process.on('unhandledRejection', listener);
  judge.stop();
  await expect(judge.needed(stored(), AbortSignal.abort(new Error('abandoned')))).rejects.toThrow('abandoned');
  await settled();
  process.off('unhandledRejection', listener);
  expect(unhandled).toEqual([]);
});
