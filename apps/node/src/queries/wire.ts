/** Messages between the API's thread and the one that runs queries of applications. */
import type { GenesisHash } from '@slipstream/types';
import type { Outlet, Side } from '../threads/channel.ts';

export interface QuerySetting {
  /** Artifacts, in the order of genesis. */
  readonly applications: readonly Uint8Array[];
  readonly genesisHash: GenesisHash;
}

interface QueryHead {
  readonly [name: string]: string | number | readonly number[];
  readonly application: number;
  readonly name: string;
  /** Positions of known keys without a value. */
  readonly absent: readonly number[];
}

/** As QueryRound of packages/execution; bytes: missing keys, or the output. */
export type RoundHead =
  | { readonly type: 'missing' | 'answer' }
  | { readonly [name: string]: string; readonly type: 'failed'; readonly code: string }
  | { readonly [name: string]: string; readonly type: 'fault'; readonly code: string; readonly message: string };

export interface QuerySide extends Side {
  readonly calls: {
    /** Answered once the realms are loaded. */
    readonly load: readonly [null, null];
    /** bytes: input, then the known keys, then the values of those that have one. */
    readonly run: readonly [QueryHead, RoundHead];
  };
  readonly notices: Readonly<Record<never, never>>;
}

const MIB = 1024 * 1024;

/** One round at a time (runner.ts). Keys of a query may have 64 MiB of values. */
export const QUERY_QUEUES: Outlet<QuerySide> = {
  queues: { queries: { messagesMax: 4, bytesMax: 96 * MIB, whenFull: 'refuse' } },
  queueOf: { load: 'queries', run: 'queries' },
};
