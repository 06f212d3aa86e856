/** Types of a test, inferred from the application's definition. */
import type { ActionInputs, Application, EventBodies, Outside, QueryTypes } from '@slipstream/app';

export type AccountText = `0x${string}`;

/** As JSON has it: amounts are decimal text, what is absent is null. */
export type Shown<T> = T extends bigint
  ? never
  : T extends undefined
    ? null
    : T extends string | number | boolean | null
      ? T
      : { readonly [K in keyof T]: Shown<T[K]> };

export type Actions<App> = {
  readonly [N in keyof ActionInputs<App>]: (input: ActionInputs<App>[N]) => Receipt<App>;
};

export type Queries<App> = {
  readonly [N in keyof QueryTypes<App>]: (input: QueryTypes<App>[N]['input']) => Shown<QueryTypes<App>[N]['output']>;
};

export type ShownEvent<App> = {
  readonly [N in keyof EventBodies<App>]: { readonly name: N; readonly body: Shown<EventBodies<App>[N]> };
}[keyof EventBodies<App>];

export type GenesisInput<App extends Application> =
  App extends Application<infer _A, infer _E, infer _Q, infer G> ? Outside<G> : never;

interface Used {
  /** 256 are a unit of compute. */
  readonly ticks: number;
  readonly reads: number;
  readonly writes: number;
  readonly bytes: number;
}

/** Of an action that succeeded. */
export interface Receipt<App> {
  readonly transactionId: `0x${string}`;
  readonly height: number;
  /** In the order in which the action emitted them. */
  readonly events: readonly ShownEvent<App>[];
  /** What the action used. It may use what its units declare. */
  readonly used: Used;
}
