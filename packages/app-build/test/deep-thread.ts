/** A Worker with the stack that applications run on: calls actions of a script by number, each with ticks and an input. */
import { parentPort, workerData } from 'node:worker_threads';
import { assertStack, loadScript, TICKS_MAX } from '@slipstream/app-realm';
import { createMemoryExecution } from '@slipstream/app-test/memory';

export interface Order {
  readonly action: number;
  readonly input: Uint8Array;
}

const { script, orders } = workerData as { readonly script: string; readonly orders: readonly Order[] };
const context = { sender: new Uint8Array(33), transactionId: new Uint8Array(32), timeMs: 0, height: 1 };

assertStack();
const program = loadScript(script, 'endless');
const chain = createMemoryExecution();
parentPort?.postMessage(
  orders.map(({ action, input }) => chain.call(program, { action, context, input, ticksMax: TICKS_MAX })),
);
