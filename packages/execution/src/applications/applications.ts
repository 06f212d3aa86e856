/**
 * Applications of a chain: each call of an action, on the state of its transaction (applications.md, A1 to A9).
 *
 *   call --> artifact of the epoch's record --> action --> limits by its units --> declared keys --> run on a host --> output, or a failure
 *
 * A call gives the same on each node, whichever calls its realm has run before: what the script did is in the transaction's overlay alone,
 * and the executor undoes it. No call makes this code throw; a host error that is no refusal is a defect of this node.
 */
import type { CallContext, CallResult, Program } from '@slipstream/app/program';
import { GENESIS_TICKS_MAX, TICKS_MAX, TICKS_PER_UNIT } from '@slipstream/app-realm/limits';
import { concatBytes, to0x, toHex } from '@slipstream/primitives';
import {
  accountKeyBytes,
  bindsNameAlone,
  type Call,
  type FailureCode,
  failureOutput,
  limitsOfCall,
  type UnitsOfCalls,
  unitsOfCallsTo,
} from '@slipstream/types';
import type { Applied, CallerContext, CallRunner } from '../actions/rule.ts';
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
  /** More than are left: all. */
  spendTicks(ticks: number): void;
}

export interface InstalledApplication {
  /** SHA-256 of the artifact. */
  readonly hash: Uint8Array;
  /** Of no other chain: it has one host. */
  readonly program: ApplicationProgram;
}

/** The program of the artifact with this hash, in a new realm. Undefined: this node has no such artifact. */
type LoadProgram = (hash: Uint8Array) => ApplicationProgram | undefined;

/** In the order of genesis, which gives the numbers. */
export interface Applications extends CallRunner, NamedAccounts {
  readonly installed: readonly InstalledApplication[];
  readonly count: number;
  readonly unitsOfCall: UnitsOfCalls;
  /**
   * All keys of a call whose action declares some, in the order of its declaration: it reads no state.
   *
   * @param ticksMax of the declaration
   * @returns undefined: it declares none, or fails
   */
  declaredKeys(call: Call, context: CallerContext, ticksMax: number): readonly StateKey[] | undefined;
  readonly numberOf: (name: string) => number | undefined;
  /** Those with the artifacts that the record of an epoch names. Throws ExecutionError `application-missing`. */
  under(hashes: readonly Uint8Array[]): Applications;
  /** Loads the program of an application's artifact before a block needs it. Throws ExecutionError `application-missing`, and what the loader throws. */
  prepare(number: number, hash: Uint8Array): void;
  /** Runs the genesis function of the application with this number. Throws ExecutionError `application-genesis`. */
  genesis(number: number, entries: Entries, input: Uint8Array): void;
}

/** What an application did that was neither success nor its own `fail`: for logs, since an engine words it. */
type ReportFault = (application: string, message: string) => void;

interface ApplicationPorts {
  readonly reportFault?: ReportFault | undefined;
  /** Of artifacts that a later epoch names. Default: none. */
  readonly load?: LoadProgram | undefined;
}

/** @param installed of genesis */
export function createApplications(
  installed: readonly InstalledApplication[],
  { reportFault = () => {}, load = () => undefined }: ApplicationPorts = {},
): Applications {
  const places = new Map<string, Place>();
  const sets = new Map<string, Applications>();

  function placeOf(number: number, named: Uint8Array): Place {
    const hash = bindsNameAlone({ hash: named }) ? (installed[number]?.hash ?? named) : named;
    const name = `${number} ${toHex(hash)}`;
    const known = places.get(name);
    if (known !== undefined) return known;
    const program = load(hash);
    if (program === undefined) throw missing(number, hash);
    return added(name, { hash, program }, number);
  }

  function added(name: string, one: InstalledApplication, number: number): Place {
    const place = { ...one, runner: createRunner(one.program, number, reportFault) };
    places.set(name, place);
    return place;
  }

  function under(hashes: readonly Uint8Array[]): Applications {
    const name = hashes.map(toHex).join(' ');
    const made =
      sets.get(name) ??
      applicationsOf(
        hashes.map((hash, number) => placeOf(number, hash)),
        { under, prepare },
      );
    sets.set(name, made);
    return made;
  }

  function prepare(number: number, hash: Uint8Array): void {
    placeOf(number, hash);
  }

  for (const [number, one] of installed.entries()) added(`${number} ${toHex(one.hash)}`, one, number);
  return under(installed.map(({ hash }) => hash));
}

interface Place extends InstalledApplication {
  readonly runner: Runner;
}

function applicationsOf(places: readonly Place[], all: Pick<Applications, 'under' | 'prepare'>): Applications {
  const manifests = places.map(({ program }) => program.manifest);
  const byName = new Map(manifests.map(({ name }, number) => [name, number]));
  return {
    installed: places,
    count: places.length,
    unitsOfCall: unitsOfCallsTo(manifests),
    ...createNamedAccounts(manifests),
    numberOf: (name) => byName.get(name),
    ...all,
    call(scratch, call, context) {
      const place = places[byName.get(call.application) ?? -1];
      return place === undefined ? refused('application-unknown') : place.runner.call(scratch, call, context);
    },
    declaredKeys(call, context, ticksMax) {
      return places[byName.get(call.application) ?? -1]?.runner.declaredKeys(call, context, ticksMax);
    },
    genesis: (number, entries, input) => (places[number] as Place).runner.genesis(entries, input),
  };
}

function missing(number: number, hash: Uint8Array): ExecutionError {
  const message = `the chain runs application ${number} with artifact ${to0x(hash)}, which this node lacks: slipstream app accept FILE`;
  return new ExecutionError('application-missing', message, { number, hash: to0x(hash) });
}

export const NO_APPLICATIONS: Applications = createApplications([]);

const refused = (code: FailureCode, keys: readonly StateKey[] = []): Applied => ({ ok: false, code, keys });

interface Runner extends CallRunner, Pick<Applications, 'declaredKeys'> {
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
    declaredKeys(
      { action: actionNumber, input },
      { sender, genesisHash, transactionId, timestampMs, height },
      ticksMax,
    ) {
      const action = actions.get(actionNumber);
      if (action === undefined || !action.declaresKeys) return undefined;
      const context = { sender: accountKeyBytes(sender), transactionId, timeMs: timestampMs, height };
      host.begin({ scratch: NO_STATE, caller: { sender, genesisHash, allowance: undefined }, limits: NO_UNITS });
      program.setTicks(ticksMax);
      host.declaring();
      const isDeclared = attempt(() => program.declare(action.number, context, input));
      return isDeclared === true ? host.keys() : undefined;
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

const NO_UNITS = { reads: 0, writes: 0, bytes: 0 };
/** No declaration reaches it: its host refuses before. */
const NO_STATE: Entries = { get: () => undefined, set() {} };
const WITHOUT_LIMITS = { reads: Infinity, writes: Infinity, bytes: Infinity };

const FAULTS: Readonly<Record<string, FailureCode>> = { fault: 'application-fault' };

interface Order {
  readonly number: number;
  readonly declaresKeys: boolean;
  readonly context: CallContext;
  readonly input: Uint8Array;
}

function run(program: Program, host: CallHost, { number, declaresKeys, context, input }: Order): CallResult {
  if (!declaresKeys) return program.call(number, context, input);
  host.declaring();
  return program.call(number, context, input, host.declared);
}
