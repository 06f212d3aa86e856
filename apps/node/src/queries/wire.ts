/** Messages between the API's thread and the one that runs queries of applications. */
import type { GenesisHash } from '@slipstream/types';
import type { Outlet, Side } from '../threads/channel.ts';

export interface QuerySetting {
  /** Artifacts: of genesis, and accepted ones. */
  readonly applications: readonly Uint8Array[];
  readonly genesisHash: GenesisHash;
}

interface QueryHead {
  readonly [name: string]: string | number | readonly number[];
  readonly application: number;
  /** Hexadecimal hash. */
  readonly artifact: string;
  /** Byte arrays before the known keys. */
  readonly given: number;
  /** Positions of known keys without a value. */
  readonly absent: readonly number[];
}

/** A query has `name`, a conversion `table` (Question of packages/execution). */
type QuestionHead = QueryHead & ({ readonly name: string } | { readonly table: number });

/** As QueryRound of packages/execution; bytes: missing keys, the output, or converted values. */
export type RoundHead =
  | { readonly type: 'missing' | 'answer' | 'converted' }
  | { readonly [name: string]: string; readonly type: 'failed'; readonly code: string }
  | { readonly [name: string]: string; readonly type: 'fault'; readonly code: string; readonly message: string };

export interface QuerySide extends Side {
  readonly calls: {
    /** Answered once the realm of this artifact is loaded. */
    readonly load: readonly [{ readonly artifact: string }, null];
    /** bytes: the input or the values to convert, then the known keys, then the values of those that have one. */
    readonly run: readonly [QuestionHead, RoundHead];
  };
  readonly notices: Readonly<Record<never, never>>;
}

const MIB = 1024 * 1024;

/** One round at a time (runner.ts). Keys of a query may have 64 MiB of values. */
export const QUERY_QUEUES: Outlet<QuerySide> = {
  queues: { queries: { messagesMax: 4, bytesMax: 96 * MIB, whenFull: 'refuse' } },
  queueOf: { load: 'queries', run: 'queries' },
};
