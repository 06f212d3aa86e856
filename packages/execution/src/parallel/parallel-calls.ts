/**
 * Calls of a block that workers run ahead of the executor, which still runs the block in order.
 *
 *   block --> calls of parallel actions, their keys, the parent's values --> workers --results--\
 *     \--> in order: at the place of such a call   no key of it is written yet? take the result <--/
 *                                                  otherwise, and without a result: run it
 *
 * INVARIANT (applications.md, A18): a call's result follows from its artifact, block, transaction and the values of its declared keys. A result that is
 * taken was computed from the values that the call would find, by the same code, so writes and receipts are those of a node without workers.
 */
import { TICKS_MAX } from '@slipstream/app-realm/limits';
import { bytesEqual, toHex } from '@slipstream/primitives';
import {
  accountKeyBytes,
  type Call,
  type FailureCode,
  limitsOfCall,
  type PreparedTransaction,
  type TransactionId,
} from '@slipstream/types';
import type { Applied, CallerContext, CollectAllowance } from '../actions/rule.ts';
import type { Applications } from '../applications/applications.ts';
import { PAYEES_MAX } from '../applications/call-host.ts';
import type { BlockOverlay, Scratch } from '../overlay.ts';
import type { StateKey } from '../state-keys.ts';
import { type CallCosts, createCallCosts } from './call-costs.ts';
import type { CallWorkers, HandedBlock, HandedCall, HandedCalls, HandedResult } from './call-workers.ts';
import { CHANGE_BYTES, PAYEE_BYTES, RESULT_BYTES } from './wire.ts';

export interface ParallelCalls {
  /** Hands over what pays. Undefined: no action of the applications is parallel, or no worker is there. */
  begin(block: CallsBlock, overlay: Pick<BlockOverlay, 'get' | 'isUnwritten'>): BegunCalls | undefined;
}

interface CallsBlock extends Omit<HandedBlock, 'artifacts'> {
  readonly applications: Applications;
  /** By chunk; each is iterated once. */
  readonly transactions: readonly Iterable<PreparedTransaction>[];
}

interface BegunCalls {
  /** Of the chunk at this position, as given. */
  of(chunk: number): readonly PreparedTransaction[];
  /** Takes results at their places. */
  readonly applications: Applications;
  /** To be called once the block's transactions ran. */
  end(): void;
}

/** Of one block. */
const CALLS_MAX = 4_096;
const BYTES_MAX = 16 * 1024 * 1024;
/** One alone would be waited for. */
const CALLS_MIN = 2;
const RESULT_BYTES_MAX = 64 * 1024;
/** Of a declaration ahead of its transaction, whose sender may lack the fee: 30 us. */
const DECLARE_TICKS_MAX = 8_192;
/** A unit of compute is about a microsecond (app-realm). */
const US_PER_UNIT = 1;

export function createParallelCalls(workers: CallWorkers, costs: CallCosts = createCallCosts()): ParallelCalls {
  let known: { readonly of: Applications['installed']; readonly actions: ParallelActions } | undefined;
  return {
    begin(block, overlay) {
      const { applications } = block;
      const { installed } = applications;
      if (known?.of !== installed) known = { of: installed, actions: parallelActionsOf(installed) };
      if (known.actions.size === 0 || workers.count === 0) return undefined;
      const transactions = block.transactions.map((chunk) => [...chunk]);
      const chosen = choose({ block, costs, actions: known.actions, overlay }, transactions);
      const handed =
        chosen.length < CALLS_MIN
          ? undefined
          : workers.hand(
              headOf(block),
              chosen.map(({ call }) => call),
            );
      const running = { workers, costs, actions: known.actions, overlay, chosen: byTransaction(chosen), handed };
      return {
        of: (chunk) => transactions[chunk] as readonly PreparedTransaction[],
        applications: { ...applications, call: (...call) => takeOrRun(running, applications, ...call) },
        end: () => handed?.end(),
      };
    },
  };
}

function headOf({ genesisHash, timestampMs, height, applications }: CallsBlock): HandedBlock {
  return { genesisHash, timestampMs, height, artifacts: applications.installed.map(({ hash }) => hash) };
}

interface ParallelAction {
  readonly application: number;
  /** Of this artifact, for its costs. */
  readonly name: string;
  readonly units: Parameters<typeof limitsOfCall>[0];
}

/** By `actionText`. */
type ParallelActions = ReadonlyMap<string, ParallelAction>;

const actionText = (application: string, action: number): string => `${application}.${action}`;

function parallelActionsOf(installed: Applications['installed']): ParallelActions {
  const found = new Map<string, ParallelAction>();
  for (const [application, { hash, program }] of installed.entries()) {
    const { name, actions } = program.manifest;
    for (const { number, parallel, units } of actions) {
      if (!parallel) continue;
      found.set(actionText(name, number), { application, name: `${toHex(hash)}.${number}`, units });
    }
  }
  return found;
}

interface Choosing {
  readonly block: CallsBlock;
  readonly costs: CallCosts;
  readonly actions: ParallelActions;
  readonly overlay: Pick<BlockOverlay, 'get'>;
}

interface ChosenCall {
  readonly call: HandedCall;
  readonly action: ParallelAction;
  readonly declaredUs: number;
  readonly transactionId: TransactionId;
  /** Declared; one object each, so that the overlay finds them quickly. */
  readonly keys: readonly StateKey[];
}

function choose(choosing: Choosing, chunks: readonly (readonly PreparedTransaction[])[]): readonly ChosenCall[] {
  const chosen: ChosenCall[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    for (const prepared of chunk) {
      if (prepared.transaction === undefined || !prepared.signatureValid) continue;
      for (const action of prepared.transaction.body.actions) {
        if (action.kind !== 'call') continue;
        const one = chosenOf(choosing, prepared, action);
        if (one === undefined) continue;
        bytes += bytesOf(one.call);
        if (chosen.length === CALLS_MAX || bytes > BYTES_MAX) return chosen;
        chosen.push(one);
      }
    }
  }
  return chosen;
}

function chosenOf(
  { block, costs, actions, overlay }: Choosing,
  { transaction, id }: PreparedTransaction,
  call: Call,
): ChosenCall | undefined {
  const action = actions.get(actionText(call.application, call.action));
  if (action === undefined || transaction === undefined) return undefined;
  const { compute, writes, bytes } = limitsOfCall(action.units, call.input.length);
  const declaredUs = US_PER_UNIT * compute;
  if (!costs.isWorthHanding(action.name, 0, declaredUs)) return undefined;
  const { sender } = transaction.body;
  const { genesisHash, timestampMs, height, applications } = block;
  const context = { sender, genesisHash, transactionId: id, timestampMs, height, allowance: undefined };
  const keys = applications.declaredKeys(call, context, Math.min(TICKS_MAX, DECLARE_TICKS_MAX));
  if (keys === undefined || !costs.isWorthHanding(action.name, keys.length, declaredUs)) return undefined;
  return {
    action,
    declaredUs,
    transactionId: id,
    keys,
    call: {
      application: action.application,
      action: call.action,
      sender: accountKeyBytes(sender),
      transactionId: id,
      input: call.input,
      entries: keys.map((key) => ({ key: key.bytes, value: overlay.get(key) })),
      resultBytesMax: Math.min(
        RESULT_BYTES_MAX,
        2 * RESULT_BYTES + bytes + writes * 2 * CHANGE_BYTES + Math.min(PAYEES_MAX, writes) * PAYEE_BYTES,
      ),
    },
  };
}

function bytesOf({ input, entries, resultBytesMax }: HandedCall): number {
  let bytes = input.length + resultBytesMax;
  for (const { key, value } of entries) bytes += key.length + (value?.length ?? 0);
  return bytes;
}

interface PlacedCall extends ChosenCall {
  readonly position: number;
}

/** By hexadecimal id; in the order of their actions. */
function byTransaction(chosen: readonly ChosenCall[]): Map<string, PlacedCall[]> {
  const found = new Map<string, PlacedCall[]>();
  for (const [position, one] of chosen.entries()) {
    const text = toHex(one.transactionId);
    const list = found.get(text);
    if (list === undefined) found.set(text, [{ ...one, position }]);
    else list.push({ ...one, position });
  }
  return found;
}

interface RunningCalls {
  readonly workers: CallWorkers;
  readonly costs: CallCosts;
  readonly actions: ParallelActions;
  readonly overlay: Pick<BlockOverlay, 'isUnwritten'>;
  readonly chosen: Map<string, PlacedCall[]>;
  readonly handed: HandedCalls | undefined;
}

function takeOrRun(
  running: RunningCalls,
  applications: Applications,
  scratch: Scratch,
  call: Call,
  context: CallerContext,
): Applied {
  const { workers, costs, overlay, handed } = running;
  const action = running.actions.get(actionText(call.application, call.action));
  if (action === undefined) return applications.call(scratch, call, context);
  const found = handed && next(running.chosen, action, call, context.transactionId);
  if (found !== undefined) {
    if (found.keys.every(overlay.isUnwritten)) {
      const result = handed?.take(found.position, costs.patienceMs(action.name, found.declaredUs));
      if (result !== undefined && isWithin(context.allowance, result)) {
        if (context.allowance !== undefined) context.allowance.collected += result.collected;
        return taken(result, found.keys, scratch);
      }
    } else handed?.drop(found.position);
  }
  const begunUs = workers.nowUs();
  const applied = applications.call(scratch, call, context);
  costs.measured(action.name, workers.nowUs() - begunUs);
  return applied;
}

/** Each once: a transaction may have the same call twice. */
function next(
  chosen: Map<string, PlacedCall[]>,
  action: ParallelAction,
  { input }: Call,
  id: TransactionId,
): PlacedCall | undefined {
  const list = chosen.get(toHex(id));
  const at = list?.findIndex((one) => one.action === action && bytesEqual(one.call.input, input)) ?? -1;
  return at < 0 ? undefined : list?.splice(at, 1)[0];
}

function taken(result: HandedResult, keys: readonly StateKey[], scratch: Scratch): Applied {
  const { output } = result;
  if (!result.ok) return { ok: false, code: result.code as FailureCode, keys, ...(output.length > 0 && { output }) };
  for (const change of result.changes) {
    const key = keys[change.at] as StateKey;
    if ('balance' in change) scratch.setBalance(key, change.balance);
    else scratch.set(key, change.value);
  }
  return { ok: true, output, keys, paid: result.paid };
}

/** A worker knows no limit of the session; what it asked for at most shows whether the limit would have ended the call. */
function isWithin(allowance: CollectAllowance | undefined, { asked }: HandedResult): boolean {
  return allowance === undefined || allowance.collected + asked <= allowance.most;
}
