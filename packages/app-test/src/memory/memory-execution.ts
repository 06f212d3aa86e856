/** Carries out calls on a state in memory, with the ticks, units and declared keys of a chain. No fees, sessions, blocks or proofs. */
import type { CallResult } from '@slipstream/app/program';
import {
  GENESIS_TICKS_MAX,
  type MeteredProgram,
  OutOfCompute,
  QUERY_TICKS_MAX,
  TICKS_MAX,
  TICKS_PER_UNIT,
} from '@slipstream/app-realm';
import { toHex } from '@slipstream/primitives';
import { transactionIdOf } from '../accounts.ts';
import type { Call, CallStatus, Execution, Outcome } from '../execution.ts';
import { type Counts, createMemoryState, type MemoryCall, UndeclaredKey } from './memory-state.ts';

const NO_SENDER = new Uint8Array(33);
const NO_TRANSACTION = new Uint8Array(32);
const KIB = 1024;
const UNITS = ['reads', 'writes', 'bytes'] as const;

export function createMemoryExecution(): Execution {
  const state = createMemoryState();
  let calls = 0;

  function run(program: MeteredProgram, { action, input, sender, ...block }: Call, isCommitted: boolean): Outcome {
    const transactionId = transactionIdOf(calls);
    const context = { sender, transactionId, ...block };
    const { ticks: ticksMax, ...limits } = limitsOf(program, action, input.length);
    const call = state.begin(sender);
    if (isCommitted) calls += 1;
    return play(program, call, { transactionId, ticksMax, limits, isCommitted }, () => {
      if (program.declare(action, context, input)) call.closeKeys();
      return program.call(action, context, input);
    });
  }

  return {
    entries: state.entries,
    balance: state.balance,
    setBalance: state.setBalance,
    genesis: (program, input) =>
      play(
        program,
        state.begin(NO_SENDER),
        { transactionId: NO_TRANSACTION, ticksMax: GENESIS_TICKS_MAX, isCommitted: true },
        () => program.genesis(input),
      ),
    call: (program, call) => run(program, call, true),
    tryCall: (program, call) => run(program, call, false),
    query(program, name, input) {
      program.use(state.begin(NO_SENDER).host);
      program.setTicks(QUERY_TICKS_MAX);
      return program.query(name, input);
    },
    invariants(program) {
      program.use(state.begin(NO_SENDER).host);
      program.setTicks(QUERY_TICKS_MAX);
      return program.invariants();
    },
  };
}

interface Terms {
  readonly transactionId: Uint8Array;
  readonly ticksMax: number;
  /** Undefined: genesis, which has none. */
  readonly limits?: Counts;
  readonly isCommitted: boolean;
}

function play(
  program: MeteredProgram,
  call: MemoryCall,
  { transactionId, ticksMax, limits, isCommitted }: Terms,
  work: () => CallResult,
): Outcome {
  program.use(call.host);
  program.setTicks(ticksMax);
  const ran = resultOf(work);
  const ticks = ticksMax - program.ticksLeft();
  const counts = { ...call.counts };
  const result = ran.status === 'success' && limits !== undefined ? withinUnits(counts, limits) : ran;
  if (result.status !== 'success') return { transactionId, result, writes: {}, events: [], ticks, counts };
  if (isCommitted) call.commit();
  const writes = [...call.writes].map(([key, value]) => [key, value === undefined ? '' : toHex(value)] as const);
  return { transactionId, result, writes: Object.fromEntries(writes), events: [...call.events], ticks, counts };
}

function resultOf(work: () => CallResult): CallStatus {
  try {
    return work();
  } catch (error) {
    if (error instanceof OutOfCompute) return { status: 'out-of-compute' };
    if (error instanceof UndeclaredKey) return { status: 'undeclared-key' };
    throw error;
  }
}

function withinUnits(counts: Counts, limits: Counts): CallStatus {
  const unit = UNITS.find((name) => counts[name] > limits[name]);
  return unit === undefined ? { status: 'success' } : { status: 'out-of-units', unit };
}

function limitsOf(
  { manifest }: MeteredProgram,
  action: number,
  inputBytes: number,
): Counts & { readonly ticks: number } {
  const declared = manifest.actions.find(({ number }) => number === action);
  if (declared === undefined) throw new RangeError(`${manifest.name} has no action ${action}`);
  const { fixed, perInputKiB } = declared.units;
  const kib = Math.ceil(inputBytes / KIB);
  const limit = (unit: keyof typeof fixed): number => fixed[unit] + kib * perInputKiB[unit];
  return {
    reads: limit('reads'),
    writes: limit('writes'),
    bytes: limit('bytes'),
    ticks: Math.min(TICKS_MAX, limit('compute') * TICKS_PER_UNIT),
  };
}
