/** Signing in a worker, and in this thread. */
import { expect, test } from 'vitest';
import { inWorker, type ShareAnswer, type ShareRequest } from '../../src/distillery/share-signer.ts';

/** A worker that answers when asked to. */
function fakeWorkers() {
  const started: {
    answer: (data: ShareAnswer) => void;
    fail: () => void;
    requests: ShareRequest[];
    isEnded: boolean;
  }[] = [];
  const start = () => {
    const listeners = new Map<string, (event: never) => void>();
    const requests: ShareRequest[] = [];
    const worker = {
      requests,
      isEnded: false,
      answer: (data: ShareAnswer) => listeners.get('message')?.({ data } as never),
      fail: () => listeners.get('error')?.({} as never),
    };
    started.push(worker);
    return {
      postMessage: (request: ShareRequest) => void requests.push(request),
      addEventListener: (type: string, listener: (event: never) => void) => void listeners.set(type, listener),
      terminate: () => {
        worker.isEnded = true;
      },
    };
  };
  return { started, start };
}

const bytes = new Uint8Array(32);

test('answers reach their requests in any order, a fault as an error', async () => {
  const { started, start } = fakeWorkers();
  const signer = inWorker(start);
  const [first, second, third] = [1, 2, 3].map(() => signer.sign(bytes, bytes));
  started[0]?.answer({ id: 1, signature: new Uint8Array([2]) });
  started[0]?.answer({ id: 0, signature: new Uint8Array([1]) });
  started[0]?.answer({ id: 2, fault: 'no secret' });
  expect(await first).toEqual(new Uint8Array([1]));
  expect(await second).toEqual(new Uint8Array([2]));
  await expect(third).rejects.toMatchObject({ code: 'bad-argument', message: expect.stringContaining('no secret') });
});

test('a worker that ends fails what waits, and the next share starts another', async () => {
  const { started, start } = fakeWorkers();
  const signer = inWorker(start);
  const lost = signer.sign(bytes, bytes);
  started[0]?.fail();
  await expect(lost).rejects.toMatchObject({ code: 'bad-argument' });
  const next = signer.sign(bytes, bytes);
  started[1]?.answer({ id: 1, signature: new Uint8Array([5]) });
  expect(await next).toEqual(new Uint8Array([5]));
});

test('close() ends the worker and what waits', async () => {
  const { started, start } = fakeWorkers();
  const signer = inWorker(start);
  const waiting = signer.sign(bytes, bytes);
  signer.close();
  await expect(waiting).rejects.toMatchObject({ code: 'closed' });
  await expect(signer.sign(bytes, bytes)).rejects.toMatchObject({ code: 'closed' });
  expect(started[0]?.isEnded).toBe(true);
});
