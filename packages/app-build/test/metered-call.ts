/** One call of an action on a state in memory, with any number of ticks. */
import type { CallResult } from '@slipstream/app/program';
import { type MeteredProgram, OutOfCompute } from '@slipstream/app-realm';
import { toHex } from '@slipstream/primitives';
import type { MemoryState } from '../../app/test/memory-state.ts';

export interface Outcome {
  readonly result: CallResult | { readonly status: 'out-of-compute' };
  /** Hexadecimal, by table and key. Empty unless the call succeeded. */
  readonly writes: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly ticks: number;
}

interface MeteredCall {
  readonly action: number;
  readonly input: Uint8Array;
  readonly ticks: number;
}

const context = { sender: new Uint8Array(33), transactionId: new Uint8Array(32), timeMs: 0, height: 1 };

export function callIn(state: MemoryState, program: MeteredProgram, { action, input, ticks }: MeteredCall): Outcome {
  const call = state.begin(context.sender);
  program.use(call.host);
  program.setTicks(ticks);
  const result = resultOf(() => program.call(action, context, input));
  const used = ticks - program.ticksLeft();
  if (result.status !== 'success') return { result, writes: {}, events: [], ticks: used };
  call.commit();
  const writes = [...call.writes].map(([key, value]) => [key, toHex(value ?? new Uint8Array(0))] as const);
  return {
    result,
    writes: Object.fromEntries(writes),
    events: call.events.map(({ body }) => toHex(body)),
    ticks: used,
  };
}

function resultOf(work: () => CallResult): Outcome['result'] {
  try {
    return work();
  } catch (error) {
    if (error instanceof OutOfCompute) return { status: 'out-of-compute' };
    throw error;
  }
}
