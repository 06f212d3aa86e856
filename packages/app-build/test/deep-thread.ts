/** A Worker with the stack that applications run on: calls actions of a script by number, each with ticks and an input. */
import { parentPort, workerData } from 'node:worker_threads';
import { assertStack, loadScript, TICKS_MAX } from '@slipstream/app-realm';
import { createMemoryState } from '../../app/test/memory-state.ts';
import { callIn } from './metered-call.ts';

export interface Order {
  readonly action: number;
  readonly input: Uint8Array;
}

const { script, orders } = workerData as { readonly script: string; readonly orders: readonly Order[] };

assertStack();
const program = loadScript(script, 'endless');
const state = createMemoryState();
parentPort?.postMessage(orders.map(({ action, input }) => callIn(state, program, { action, input, ticks: TICKS_MAX })));
