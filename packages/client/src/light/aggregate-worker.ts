/** Verifies aggregates in a worker, of a page or of Node, with WebAssembly if it may. */
import { loadAggregateCheck } from '@slipstream/crypto/browser';
import { nodeThreads } from './node-threads.ts';
import type { AggregateAnswer, AggregateRequest } from './start-worker.ts';

/** A page's worker is itself the port. */
interface Port {
  postMessage(answer: AggregateAnswer): void;
  addEventListener(type: 'message', listener: (event: { readonly data: AggregateRequest }) => void): void;
}

const check = loadAggregateCheck();
const port = (nodeThreads()?.parentPort ?? globalThis) as unknown as Port & { start?: () => void };

port.addEventListener('message', ({ data: { id, aggregate } }) => {
  void check.then(({ verify }) => port.postMessage({ id, holds: verify(aggregate) }));
});
// Node's port waits for it.
port.start?.();
