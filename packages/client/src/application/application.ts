/** An application of the chain, with the types of its definition: calls, entries, queries, events. */
import type { ActionInputs, EventBodies, QueryTypes, TableTypes } from '@slipstream/app';
import type { ApplicationManifest } from '@slipstream/app/program';
import type { TransactionView } from '@slipstream/schema';
import type { Action, UnitsOfCalls } from '@slipstream/types';
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
  events(receipt: { readonly output: string }): readonly ApplicationEvent<EventBodies<App>>[];
  /** For `estimateFee`. */
  readonly unitsOfCall: UnitsOfCalls;
}
