/** A program from an application: numbers are bound, calls come as bytes, and what the application throws becomes a result. */
import type { Action } from '../definition/action.ts';
import type { Application } from '../definition/application.ts';
import { contextOf } from '../definition/context.ts';
import { Failure } from '../definition/fail.ts';
import { decode, encode, type Form, isFormError } from '../forms/form.ts';
import { enterCall } from '../state/call-in-hand.ts';
import { type GuardedHost, guardHost } from './guarded-host.ts';
import { byNumber, manifestOf } from './manifest-of.ts';
import { type Numbers, numbersOf } from './numbers.ts';
import type { CallFailure, CallResult, Program, QueryResult } from './program.ts';

const SUCCESS: CallResult = { status: 'success' };
const BAD_INPUT: CallFailure = { status: 'bad-input' };
const NO_BYTES = 0;

/**
 * @param locked numbers of the lock file
 * @throws FormError with `bad-definition`
 */
export function createProgram(application: Application, locked?: Numbers): Program {
  const numbers = numbersOf(application, locked);
  const manifest = manifestOf(application, numbers);
  for (const [, number, { entry }] of byNumber(application.state, numbers.tables)) entry.number.bind(number);
  for (const [, number, event] of byNumber(application.events, numbers.events)) event.bind(number);
  const actions = new Map(byNumber(application.actions, numbers.actions).map(([, number, action]) => [number, action]));
  const tables = new Map(
    byNumber(application.state, numbers.tables).map(([, number, { entry }]) => [number, entry.value]),
  );
  const { genesis, queries, invariants } = application;
  let host: GuardedHost | undefined;

  const enter = () => {
    if (host === undefined) throw new RangeError('a program needs a host: call use() first');
    host.forget();
    enterCall(host);
    return host;
  };
  const actionOf = (number: number): Action<unknown> => {
    const action = actions.get(number);
    if (action === undefined) throw new RangeError(`${application.name} has no action ${number}`);
    return action;
  };
  /** Runs the application's own code. */
  const attempt = <I, R>(form: Form<I>, bytes: Uint8Array, run: (input: I) => R): R | CallFailure => {
    const entered = enter();
    const input = decoded(entered, form, bytes);
    if (input === undefined) return BAD_INPUT;
    let result: R;
    try {
      result = run(input.value);
    } catch (error) {
      entered.rethrow(error);
      return failureOf(error);
    }
    entered.rethrow(undefined);
    return result;
  };

  return {
    manifest,
    use(next) {
      host = guardHost(next);
    },
    declare(number, context, bytes) {
      const action = actionOf(number);
      if (action.keys === undefined) return false;
      return true === attempt(action.input, bytes, (input) => action.keys?.(contextOf(context), input) !== undefined);
    },
    call(number, context, bytes, declared) {
      const action = actionOf(number);
      return attempt<unknown, CallResult>(action.input, bytes, (input) => {
        const known = contextOf(context);
        if (declared !== undefined && action.keys !== undefined) {
          action.keys(known, input);
          declared();
        }
        action.run(known, input);
        return SUCCESS;
      });
    },
    query(name, bytes) {
      const query = Object.hasOwn(queries, name) ? queries[name] : undefined;
      if (query === undefined) throw new RangeError(`${application.name} has no query "${name}"`);
      return attempt<unknown, QueryResult>(query.input, bytes, (input) => ({
        status: 'success',
        output: encode(query.output, query.run(input)),
      }));
    },
    convert(number, bytes) {
      const values = tables.get(number);
      if (values === undefined) throw new RangeError(`${application.name} has no table ${number}`);
      const entered = enter();
      try {
        const value = values.decode(bytes, bytes.length);
        const output = new Uint8Array(values.sizeOf(value));
        values.write(output, value, output.length);
        entered.rethrow(undefined);
        return { status: 'success', output };
      } catch (error) {
        entered.rethrow(error);
        return isFormError(error, 'bad-bytes') ? BAD_INPUT : failureOf(error);
      }
    },
    genesis(bytes) {
      if (genesis === undefined) return bytes.length === NO_BYTES ? SUCCESS : BAD_INPUT;
      return attempt<unknown, CallResult>(genesis.input, bytes, (input) => {
        genesis.run(input);
        return SUCCESS;
      });
    },
    invariants: () =>
      Object.entries(invariants)
        .filter(([, holds]) => !isTrue(enter(), holds))
        .map(([name]) => name),
  };
}

function decoded<I>(host: GuardedHost, form: Form<I>, bytes: Uint8Array): { readonly value: I } | undefined {
  try {
    return { value: decode(form, bytes) };
  } catch (error) {
    host.rethrow(error);
    if (isFormError(error, 'bad-bytes')) return undefined;
    throw error;
  }
}

function isTrue(host: GuardedHost, holds: () => boolean): boolean {
  try {
    const result = holds();
    host.rethrow(undefined);
    return result === true;
  } catch (error) {
    host.rethrow(error);
    return false;
  }
}

const MESSAGE_CHARACTERS_MAX = 200;

function failureOf(error: unknown): CallFailure {
  if (error instanceof Failure) return { status: 'failed', code: error.code };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : `threw a ${typeof error}`;
  return { status: 'fault', message: message.slice(0, MESSAGE_CHARACTERS_MAX) };
}
