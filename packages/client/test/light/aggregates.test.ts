import { expect, test } from 'vitest';
import { committeesOf } from '../../src/index.ts';
import { createAggregateVerifier } from '../../src/light/aggregates.ts';
import { createLightChain } from '../../src/light/chain.ts';
import { certifiedIn } from '../../src/light/height-check.ts';
import type { AggregateRequest, StartWorker } from '../../src/light/start-worker.ts';
import { certificatesAt, genesis } from './fake-nodes.ts';

function judged(start?: StartWorker) {
  const committees = committeesOf(genesis);
  if (!committees.ok) throw new Error(committees.error);
  const verifier = createAggregateVerifier('worker', start);
  const chain = createLightChain(committees.value, verifier);
  const of = async (height: number, answer = certificatesAt(height)) => {
    const certificates = await answer;
    return (await chain.judge((known) => certifiedIn(certificates, height, known))).ok;
  };
  return { of, close: verifier.close };
}

/** State certificate of one height with the signature of another. */
async function mixed() {
  const [a, b] = [await certificatesAt(3), await certificatesAt(4)];
  if (a.state === null || b.state === null) throw new Error('both are certified');
  return { ...a, state: { ...a.state, aggregate: b.state.aggregate } };
}

test("Node's worker thread says what holds", async () => {
  const { of, close } = judged();
  expect(await of(3)).toBe(true);
  expect(await of(3, mixed())).toBe(false);
  close();
});

test('what holds is asked of the worker once, what does not each time', async () => {
  const asked: AggregateRequest[] = [];
  const start: StartWorker = (onAnswer) => ({
    post(request) {
      asked.push(request);
      queueMicrotask(() => onAnswer({ id: request.id, holds: asked.length < 3 }));
    },
    end() {},
  });
  const { of } = judged(start);
  expect([await of(3), await of(3)]).toEqual([true, true]);
  expect(asked).toHaveLength(1);
  expect(await of(4)).toBe(true);
  expect([await of(5), await of(5)]).toEqual([false, false]);
  expect(asked).toHaveLength(4);
});

test('a worker that is lost, or never starts, leaves no caller waiting', async () => {
  let lose = () => {};
  const mute: StartWorker = (_, lost) => {
    lose = lost;
    return { post() {}, end() {} };
  };
  const { of } = judged(mute);
  const waiting = of(3);
  const lying = of(3, mixed());
  await new Promise((resolve) => setTimeout(resolve, 300));
  lose();
  lose();
  expect([await waiting, await lying, await of(4)]).toEqual([true, false, true]);
  expect(await judged(() => undefined).of(3)).toBe(true);
});
