/** The whole of an application: the default export of its file. */
import { badDefinition } from '../forms/errors.ts';
import type { Of } from '../forms/form.ts';
import { checkName, isApplicationName } from '../forms/names.ts';
import type { Account, Id } from '../forms/opaque.ts';
import type { Cell } from '../state/cell.ts';
import type { StateEntry } from '../state/entry.ts';
import type { Sorted } from '../state/sorted.ts';
import type { Table } from '../state/table.ts';
import type { Action } from './action.ts';
import type { Event } from './event.ts';
import type { Genesis, Query } from './query.ts';

interface Named<T> {
  readonly [name: string]: T;
}

type Actions = Named<Action<unknown>>;
type Events = Named<Event<unknown>>;
type Queries = Named<Query<unknown, unknown>>;
type State = Named<{ readonly entry: StateEntry }>;

interface Definition<A extends Actions, E extends Events, Q extends Queries, G, S extends State> {
  /** A letter of a-z, then up to 31 of a-z, 0-9 and "-". */
  readonly name: string;
  /** Raised with each release. */
  readonly version: number;
  /** Tables, cells and sorted tables. */
  readonly state: S;
  readonly actions: A;
  readonly events?: E;
  readonly queries?: Q;
  readonly genesis?: Genesis<G>;
  /** What always holds between blocks. Checked by tests, the simulator and development chains, never by others. */
  readonly invariants?: Named<() => boolean>;
}

export interface Application<
  A extends Actions = Actions,
  E extends Events = Events,
  Q extends Queries = Queries,
  G = unknown,
  S extends State = State,
> extends Definition<A, E, Q, G, S> {
  readonly events: E;
  readonly queries: Q;
  readonly invariants: Named<() => boolean>;
}

type None = Readonly<Record<never, never>>;

const VERSION_MAX = 2 ** 32 - 1;

export function application<
  const A extends Actions,
  const E extends Events = None,
  const Q extends Queries = None,
  G = unknown,
  const S extends State = State,
>(definition: Definition<A, E, Q, G, S>): Application<A, E, Q, G, S> {
  const { name, version, state, actions, events = {} as E, queries = {} as Q, invariants = {} } = definition;
  if (!isApplicationName(name))
    throw badDefinition(`"${name}" is no name of an application: use a letter, then up to 31 of a-z, 0-9 and "-"`);
  if (!Number.isInteger(version) || version < 1 || version > VERSION_MAX)
    throw badDefinition(`an application's version is 1 to ${VERSION_MAX}`);
  for (const each of Object.keys(state)) checkName(each, 'a table');
  for (const each of Object.keys(actions)) checkName(each, 'an action');
  for (const each of Object.keys(events)) checkName(each, 'an event');
  for (const each of Object.keys(queries)) checkName(each, 'a query');
  for (const each of Object.keys(invariants)) checkName(each, 'an invariant');
  return {
    name,
    version,
    state,
    actions,
    events,
    queries,
    ...(definition.genesis && { genesis: definition.genesis }),
    invariants,
  };
}

/** A value as a program outside gives it: accounts, ids and bytes are hexadecimal text, amounts also decimal text. */
export type Outside<T> = T extends Account | Id | Uint8Array
  ? `0x${string}`
  : T extends bigint
    ? bigint | string
    : T extends string | number | undefined
      ? T
      : { readonly [K in keyof T]: Outside<T[K]> };

/** A value as a program outside gets it, in JSON: amounts are decimal text, what is not there is null. */
export type Shown<T> = T extends Account | Id | Uint8Array
  ? `0x${string}`
  : T extends bigint
    ? string
    : T extends undefined
      ? null
      : T extends string | number
        ? T
        : { readonly [K in keyof T]: Shown<T[K]> };

/** Of `typeof token`, by action: what a client gives to it. */
export type ActionInputs<App> =
  App extends Application<infer A, Events, Queries, unknown>
    ? { readonly [N in keyof A]: Outside<Of<A[N]['input']>> }
    : never;

/** By query: what a client gives and gets. */
export type QueryTypes<App> =
  App extends Application<Actions, Events, infer Q, unknown>
    ? {
        readonly [N in keyof Q]: {
          readonly input: Outside<Of<Q[N]['input']>>;
          readonly output: Shown<Of<Q[N]['output']>>;
        };
      }
    : never;

/** By event: its body. */
export type EventBodies<App> =
  App extends Application<Actions, infer E, Queries, unknown>
    ? { readonly [N in keyof E]: Shown<Of<E[N]['body']>> }
    : never;

/** By table: what a client reads it with, and gets. */
export type TableTypes<App> =
  App extends Application<Actions, Events, Queries, unknown, infer S>
    ? { readonly [N in keyof S]: EntryTypes<S[N]> }
    : never;

/** A cell is a table to the compiler, whose functions take one argument more. */
type EntryTypes<T> =
  T extends Sorted<infer K, infer V>
    ? EntryType<'sorted', Outside<K>, V | undefined, V>
    : T extends Cell<infer V, infer R>
      ? EntryType<'cell', undefined, R, V>
      : T extends Table<infer K, infer V, infer R>
        ? EntryType<'table', Outside<K>, R, V>
        : never;

interface EntryType<Kind, K, R, V> {
  readonly kind: Kind;
  readonly key: K;
  /** What a read gives. */
  readonly value: Shown<R>;
  /** Of an entry that exists. */
  readonly stored: Shown<V>;
}
