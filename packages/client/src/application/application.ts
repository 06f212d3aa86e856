/** An application of the chain, with the types of its definition: calls, entries, queries, events. */
import type { ActionInputs, EventBodies, QueryTypes, TableTypes } from '@slipstream/app';
import type { ApplicationManifest } from '@slipstream/app/program';
import type { TransactionView } from '@slipstream/schema';
import type { Action, GrantableAction, UnitsOfCalls } from '@slipstream/types';
import type { CallOptions } from '../call-options.ts';
import type { KeyPair } from '../keys.ts';
import type { ProvenOptions, UnprovenOptions } from '../proven-client.ts';
import type { Shown } from '../proven-values.ts';
import type { WaitOptions } from '../wait-options.ts';

export interface SendOptions extends WaitOptions {
  /** ms since 1970; at most 60 s ahead. Default: 30 s ahead. */
  readonly expiryMs?: number;
  /** Default: an estimate at present prices, with the units that the calls declare. */
  readonly maxFee?: bigint;
}

interface ReadEntry<V> {
  /** Of an absent entry: what the table reads there, null where it has no such. */
  readonly value: V;
  readonly exists: boolean;
  /** Of the committed block whose state it is. */
  readonly height: number;
}

export interface ProvenEntry<V> extends ReadEntry<V> {
  readonly shown: Shown;
}

interface EntryOfTable {
  readonly key: unknown;
  readonly value: unknown;
  readonly stored: unknown;
}

/** Without a key for a cell. Throws ClientError `bad-argument` for a key that is none, `unproven`. */
type KeyArgument<K> = K extends undefined ? readonly [key?: undefined] : readonly [key: K];

interface TableClient<T extends EntryOfTable> {
  get(...of: [...KeyArgument<T['key']>, options?: UnprovenOptions]): Promise<ReadEntry<T['value']>>;
  get(...of: [...KeyArgument<T['key']>, options: ProvenOptions]): Promise<ProvenEntry<T['value']>>;
  /** Of a sorted table, in the order of keys. Throws ClientError `table-not-sorted` for others. */
  entries(options?: EntriesOptions): Promise<EntryPage<T>>;
}

export interface EntriesOptions extends CallOptions {
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  /** 1 to 100. Default 20. */
  readonly limit?: number;
  /** Begins with the greatest key. */
  readonly reverse?: boolean;
}

interface EntryPage<T extends EntryOfTable> {
  readonly items: readonly { readonly key: T['key']; readonly value: T['stored'] }[];
  readonly next: string | undefined;
  readonly height: number;
}

export type ApplicationEvent<Bodies> = {
  readonly [N in keyof Bodies]: { readonly name: N; readonly fields: Bodies[N] };
}[keyof Bodies];

/** Its receipt is that of the transaction (`client.proof`), its place there by `position` among the events of the output. */
export type ListedEvent<Bodies> = ApplicationEvent<Bodies> & {
  readonly height: number;
  readonly blockId: string;
  readonly transactionId: string;
  /** Of the receipt in its block. */
  readonly index: number;
  readonly position: number;
  /** To go on after this one. */
  readonly cursor: string;
};

export interface EventsOptions<Name = string> extends CallOptions {
  /** Default: all. */
  readonly name?: Name;
  /** `cursor` of the last event taken. Default: from the oldest retained block on. */
  readonly after?: string;
  /** Of a request, 1 to 100. Default 100. */
  readonly limit?: number;
  /** Waits for further ones, over the event stream. Default: false. */
  readonly follow?: boolean;
  /** Each receipt counts with its proof alone, for which the client needs `chain`. That none was left out is not proven. */
  readonly proven?: boolean;
}

export interface ApplicationClient<App> {
  readonly name: string;
  /** In the order of genesis. */
  readonly number: number;
  readonly manifest: ApplicationManifest;
  /** By action: a call for a transaction. Throws ClientError `bad-argument` with the path of what is wrong. */
  readonly actions: { readonly [N in keyof ActionInputs<App>]: (input: ActionInputs<App>[N]) => Action };
  /** By query. Throws ClientError `query-failed`, `query-too-large`, `bad-argument`. What the node answers is not proven. */
  readonly query: {
    readonly [N in keyof QueryTypes<App>]: (
      input: QueryTypes<App>[N]['input'],
      options?: CallOptions,
    ) => Promise<QueryTypes<App>[N]['output']>;
  };
  table<N extends keyof TableTypes<App>>(name: N): TableClient<TableTypes<App>[N]>;
  /** Signs, submits, and waits for the end. Actions of other applications and of the chain may be among them. */
  send(actions: Action | readonly Action[], by: KeyPair, options?: SendOptions): Promise<TransactionView>;
  /** This application's, of a receipt's output: in a verified receipt they are proven. Those of other forms are left out. */
  eventsIn(receipt: { readonly output: string }): readonly ApplicationEvent<EventBodies<App>>[];
  /**
   * Oldest first, in pages as they are taken; ends at the newest committed block unless it follows. Throws ClientError `pruned` where blocks
   * after `after` are gone, `event-unknown`, `unproven`, or of requests: begin again after the `cursor` of the last one.
   */
  events(options?: EventsOptions<keyof EventBodies<App>>): AsyncGenerator<ListedEvent<EventBodies<App>>, void, void>;
  /** For `estimateFee`, and acts of sessions. */
  readonly unitsOfCall: UnitsOfCalls;
  /** For the `actions` of a session's grant: it may call this application. Undefined: its number is too high for scopes. */
  readonly scope: GrantableAction | undefined;
}
