/**
 * An artifact's program in a realm of its own, with metered compute.
 *
 *   node -- Program --> metered program -- numbers, text, bytes --> bridge | kit and application
 *     <----- Host ----- membrane <-------- numbers, bytes -------- bridge |
 *
 * The realm keeps accidents out of a chain: time, chance, hidden state, fractions. It is NO sandbox against the author of a script. node:vm
 * does not separate memory or processor, and a script that was not made by `app-build` may find ways out of a realm. Run only artifacts
 * whose sources you trust as you trust the node's.
 */
import type {
  ApplicationManifest,
  CallContext,
  CallFailure,
  CallResult,
  Program,
  QueryResult,
} from '@slipstream/app/program';
import type { Artifact } from './artifact.ts';
import { type Bridge, bridge, type FlatCall, type FlatResult, type NodeFunctions, type Script } from './bridge.ts';
import { canonicalJson } from './canonical-json.ts';
import { OutOfCompute, RealmError } from './errors.ts';
import { LOAD_TICKS_MAX } from './limits.ts';
import { copyOut, createMembrane, type Membrane } from './membrane.ts';
import { createRealm, type Realm } from './realm.ts';
import { STACK_IS_FULL } from './stack.ts';

/**
 * Every function but `use` may throw OutOfCompute (RealmError `out-of-compute`), at the same step on each node, and what the host throws, unchanged.
 * What the script did until then is the host's to undo.
 */
export interface MeteredProgram extends Program {
  /** For all that runs from here on, also while a host's function runs. None are left after loading. */
  setTicks(ticks: number): void;
  /** Those of a call that ran out: 0. */
  ticksLeft(): number;
  /** As if the script had taken them; more than are left: all. */
  spendTicks(ticks: number): void;
}

/**
 * Makes a new realm: nothing of an earlier program is in it.
 *
 * Throws RealmError `script-malformed`, `script-failed`, `out-of-compute`, `manifest-differs`.
 */
export function loadProgram(artifact: Artifact): MeteredProgram {
  const program = loadScript(artifact.script, artifact.manifest.name);
  if (canonicalJson(program.manifest) !== canonicalJson(artifact.manifest)) {
    const message = `${artifact.manifest.name}: its script defines another manifest than the artifact has; build it again`;
    throw new RealmError('manifest-differs', message, { name: artifact.manifest.name });
  }
  return program;
}

/** As `loadProgram`, for a script whose manifest is not known yet. `name` appears in errors of the engine. */
export function loadScript(script: string, name: string): MeteredProgram {
  const realm = createRealm();
  const membrane = createMembrane(realm.copyIn);
  const opened = openBridge(realm, membrane, { script, name });
  const manifest = JSON.parse(opened.manifest) as ApplicationManifest;
  opened.setTicks(0);
  return meter({ realm, membrane, opened, manifest });
}

interface Parts {
  readonly realm: Realm;
  readonly membrane: Membrane;
  readonly opened: Bridge;
  readonly manifest: ApplicationManifest;
}

function meter({ realm, membrane, opened, manifest }: Parts): MeteredProgram {
  const actions = new Set(manifest.actions.map(({ number }) => number));
  const queries = new Set(manifest.queries.map(({ name }) => name));
  const tables = new Set(manifest.tables.map(({ number }) => number));

  /** The first reason counts: after it neither host nor ticks serve the script. */
  function run<T>(work: () => T, isFull: (result: T) => boolean): T {
    let result: T | undefined;
    let error: { readonly thrown: unknown } | undefined;
    try {
      result = work();
    } catch (thrown) {
      error = { thrown };
    }
    const ofHost = membrane.takeError();
    if (ofHost !== undefined && !isFullStack(ofHost.error)) throw ofHost.error;
    if (opened.ticksLeft() < 0 || ofHost !== undefined) throw outOfCompute(manifest.name);
    if (error !== undefined) throw endOf(manifest.name, error.thrown);
    if (isFull(result as T)) throw outOfCompute(manifest.name);
    return result as T;
  }

  function flatten(action: number, context: CallContext, input: Uint8Array): FlatCall {
    if (!actions.has(action)) throw new RangeError(`${manifest.name} has no action ${action}`);
    const { sender, transactionId, timeMs, height } = context;
    fill(opened.sender, sender);
    fill(opened.transactionId, transactionId);
    return [action, timeMs, height, realm.copyIn(input)];
  }

  return {
    manifest,
    use: membrane.use,
    declare(action, context, input) {
      const call = flatten(action, context, input);
      return run(() => opened.declare(...call) === true, never);
    },
    call(action, context, input, declared) {
      const call = flatten(action, context, input);
      if (declared !== undefined) membrane.onDeclared(declared);
      return callResult(run(() => opened.call(declared !== undefined, ...call), isFullResult));
    },
    query(name, input) {
      if (!queries.has(name)) throw new RangeError(`${manifest.name} has no query ${name}`);
      return queryResult(run(() => opened.query(name, realm.copyIn(input)), isFullResult));
    },
    convert(table, value) {
      if (!tables.has(table)) throw new RangeError(`${manifest.name} has no table ${table}`);
      return queryResult(run(() => opened.convert(table, realm.copyIn(value)), isFullResult));
    },
    genesis: (input) => callResult(run(() => opened.genesis(realm.copyIn(input)), isFullResult)),
    invariants: () => JSON.parse(run(opened.invariants, never)) as string[],
    setTicks(ticks) {
      if (!Number.isSafeInteger(ticks) || ticks < 0) throw new RangeError(`${ticks} ticks`);
      opened.setTicks(ticks);
    },
    ticksLeft: () => Math.max(0, opened.ticksLeft()),
    spendTicks: opened.spendTicks,
  };
}

/** For so few bytes `set` takes longer. */
function fill(into: Uint8Array, bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) into[i] = bytes[i] as number;
}

function openBridge(realm: Realm, membrane: Membrane, { script, name }: { script: string; name: string }): Bridge {
  const build = realm.evaluate(`'use strict';(${bridge})`, 'bridge') as (script: Script, node: NodeFunctions) => Bridge;
  let loaded: unknown;
  try {
    loaded = realm.evaluate(script, name);
  } catch (error) {
    throw new RealmError('script-malformed', `the script of ${name} does not compile: ${textOf(error)}`, { name });
  }
  if (typeof loaded !== 'function')
    throw new RealmError('script-malformed', `the script of ${name} was not made by the build`, { name });
  try {
    return build(loaded as Script, membrane.functions);
  } catch (error) {
    membrane.takeError();
    throw endOf(name, error, LOAD_TICKS_MAX);
  }
}

function callResult(result: FlatResult): CallResult {
  return result.status === 'success' ? { status: 'success' } : failureOf(result);
}

function queryResult(result: FlatResult): QueryResult {
  return result.status === 'success' ? { status: 'success', output: copyOut(result.output) } : failureOf(result);
}

function failureOf({ status, text }: FlatResult): CallFailure {
  if (status === 'failed') return { status, code: String(text) };
  if (status === 'bad-input') return { status };
  return { status: 'fault', message: String(text) };
}

const never = (): boolean => false;

/** A stack that is full before the ticks end: frames differ between two machines, so it counts as want of ticks. */
const isFullResult = ({ status, text }: FlatResult): boolean =>
  status === 'fault' && String(text).endsWith(STACK_IS_FULL);

const isFullStack = (error: unknown): boolean => messageOf(error) === STACK_IS_FULL;

/** Of an error of the realm. An interruption without a reason of the host's: no stack was left to reach it. */
function endOf(name: string, error: unknown, ticksMax?: number): RealmError {
  if (isInterruption(error) || isFullStack(error)) return outOfCompute(name, ticksMax);
  return new RealmError('script-failed', `the script of ${name} failed: ${textOf(error)}`, { name });
}

const isInterruption = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'interrupts' in error && error.interrupts === true;

/** Errors of a realm are no instances of this one's Error. */
function messageOf(error: unknown): string | undefined {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return typeof message === 'string' ? message : undefined;
}

const textOf = (error: unknown): string => messageOf(error) ?? String(error);

function outOfCompute(name: string, ticksMax?: number): OutOfCompute {
  const message = `${name} used up its ticks; declare more compute, or do less in one call`;
  return new OutOfCompute('out-of-compute', message, ticksMax === undefined ? { name } : { name, ticksMax });
}
