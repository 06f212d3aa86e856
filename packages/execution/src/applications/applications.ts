/**
 * Applications of a chain: each call of an action, on the state of its transaction (applications.md, A1 to A9).
 *
 *   call --> application, action --> limits by its units --> declared keys --> run on a host --> output, or a failure
 *
 * A call gives the same on each node, whichever calls its realm has run before: what the script did is in the transaction's overlay alone,
 * and the executor undoes it. No call makes this code throw; a host error that is no refusal is a defect of this node.
 */
import type { CallContext, CallResult, Program } from '@slipstream/app/program';
import { GENESIS_TICKS_MAX, TICKS_MAX, TICKS_PER_UNIT } from '@slipstream/app-realm/limits';
import { concatBytes } from '@slipstream/primitives';
import {
  accountKeyBytes,
  type FailureCode,
  failureOutput,
  limitsOfCall,
  type UnitsOfCalls,
  unitsOfCallsTo,
} from '@slipstream/types';
import type { Applied, CallRunner } from '../actions/rule.ts';
import { ExecutionError } from '../errors.ts';
import type { Entries } from '../overlay.ts';
import type { StateKey } from '../state-keys.ts';
import { type CallHost, createCallHost } from './call-host.ts';
import { attempt } from './ended.ts';
import { untoldKeysOf } from './keys.ts';
import { createNamedAccounts, type NamedAccounts } from './named-accounts.ts';

/** A program that counts its steps (packages/app-realm). */
export interface ApplicationProgram extends Program {
  setTicks(ticks: number): void;
  ticksLeft(): number;
}

export interface InstalledApplication {
  /** SHA-256 of the artifact. */
  readonly hash: Uint8Array;
  /** Of no other chain: it has one host. */
  readonly program: ApplicationProgram;
}

/** In the order of genesis, which gives the numbers. */
export interface Applications extends CallRunner, NamedAccounts {
  readonly installed: readonly InstalledApplication[];
  readonly count: number;
  readonly unitsOfCall: UnitsOfCalls;
  readonly numberOf: (name: string) => number | undefined;
  /** Runs the genesis function of the application with this number. Throws ExecutionError `application-genesis`. */
  genesis(number: number, entries: Entries, input: Uint8Array): void;
}

/** What an application did that was neither success nor its own `fail`: for logs, since an engine words it. */
type ReportFault = (application: string, message: string) => void;

export function createApplications(
  installed: readonly InstalledApplication[],
  reportFault: ReportFault = () => {},
): Applications {
  const runners = installed.map(({ program }, number) => createRunner(program, number, reportFault));
  const manifests = installed.map(({ program }) => program.manifest);
  const byName = new Map(installed.map(({ program }, number) => [program.manifest.name, number]));
  return {
    installed,
    count: installed.length,
    unitsOfCall: unitsOfCallsTo(manifests),
    ...createNamedAccounts(manifests),
    numberOf: (name) => byName.get(name),
    call(scratch, call, context) {
      const runner = runners[byName.get(call.application) ?? -1];
      return runner === undefined ? refused('application-unknown') : runner.call(scratch, call, context);
    },
    genesis: (number, entries, input) => (runners[number] as Runner).genesis(entries, input),
  };
}

export const NO_APPLICATIONS: Applications = createApplications([]);

const refused = (code: FailureCode, keys: readonly StateKey[] = []): Applied => ({ ok: false, code, keys });

interface Runner extends CallRunner {
  genesis(entries: Entries, input: Uint8Array): void;
}

function createRunner(program: ApplicationProgram, number: number, reportFault: ReportFault): Runner {
  const { manifest } = program;
  const actions = new Map(manifest.actions.map((action) => [action.number, action]));
  const host = createCallHost(number, program);
  const untold = untoldKeysOf(number);
  program.use(host);

  return {
    call(scratch, { action: actionNumber, input }, caller) {
      const { sender, transactionId, timestampMs, height } = caller;
      const action = actions.get(actionNumber);
      if (action === undefined) return refused('call-unknown');
      const { compute, ...limits } = limitsOfCall(action.units, input.length);
      const context = { sender: accountKeyBytes(sender), transactionId, timeMs: timestampMs, height };
      host.begin({ scratch, caller, limits });
      program.setTicks(Math.min(TICKS_MAX, compute * TICKS_PER_UNIT));
      const ended = attempt(() => run(program, host, { ...action, context, input }));
      const keys = action.declaresKeys ? host.keys() : [untold, ...host.keys()];
      if (ended.status === 'success') return { ok: true, output: joined(host.events()), keys, paid: host.paid() };
      if (ended.status === 'failed')
        return { ok: false, code: 'application-failed', output: failureOutput(ended.code), keys };
      if (ended.status === 'fault') reportFault(manifest.name, `action ${action.name}: ${ended.message}`);
      return refused(FAULTS[ended.status] ?? (ended.status as FailureCode), keys);
    },
    genesis(entries, input) {
      host.begin({ scratch: entries, caller: undefined, limits: WITHOUT_LIMITS });
      program.setTicks(GENESIS_TICKS_MAX);
      const ended = attempt(() => program.genesis(input));
      if (ended.status === 'success') return;
      const { name } = manifest;
      const reason = 'code' in ended ? ended.code : 'message' in ended ? ended.message : ended.status;
      const message = `the genesis function of ${name} did not succeed: ${reason}; change its input, or the application`;
      throw new ExecutionError('application-genesis', message, { name, reason });
    },
  };
}

/** Most calls have one event. */
function joined(events: readonly Uint8Array[]): Uint8Array {
  const [only] = events;
  return events.length === 1 && only !== undefined ? only : concatBytes(...events);
}

const WITHOUT_LIMITS = { reads: Infinity, writes: Infinity, bytes: Infinity };

const FAULTS: Readonly<Record<string, FailureCode>> = { fault: 'application-fault' };

interface Order {
  readonly number: number;
  readonly declaresKeys: boolean;
  readonly context: CallContext;
  readonly input: Uint8Array;
}

function run(program: Program, host: CallHost, { number, declaresKeys, context, input }: Order): CallResult {
  if (declaresKeys) {
    host.declaring(() => program.declare(number, context, input));
  }
  return program.call(number, context, input);
}
