/**
 * Messages between the API's thread and the others. Events, status and peers cross once, however many clients read them.
 *
 *   main --events, moves of transactions--> API --submissions, queries, actions--> main        API --state keys--> executor
 */
import type { ApiOptions } from '@slipstream/api';
import type { FleetMember } from '@slipstream/node-home';
import type { CommitteeCertificate, Genesis, GenesisHash } from '@slipstream/types';
import type { Outlet, Side } from '../threads/channel.ts';
import type { Head } from '../threads/message.ts';
import type { TelemetryLine } from '../threads/thread-telemetry.ts';

export interface ApiSetting {
  readonly folder: string;
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  readonly options: ApiOptions;
  readonly committeeCertificate: CommitteeCertificate | undefined;
  readonly fleet: readonly FleetMember[];
  /** One transaction in so many; 0: tracing is off. */
  readonly tracedOneIn: number;
  readonly profilesTurns: boolean;
  /** Undefined: no faucet. */
  readonly faucetSecret: Uint8Array | undefined;
}

/** An event with its time, because it may wait for others. */
export type EventLine = readonly [type: string, data: Head, atMs: number];

export interface ApiSide extends Side {
  readonly calls: {
    readonly open: readonly [{ readonly height: number }, { readonly url: string }];
    /** Until the next `open` the stores are closed, and reads are answered with 503. */
    readonly pause: readonly [null, null];
    readonly stop: readonly [null, null];
  };
  readonly notices: {
    readonly events: readonly EventLine[];
    /** bytes: concatenated ids. */
    readonly attested: null;
    readonly ordered: { readonly height: number };
    /** bytes: ids in the order of the receipts; a byte each, 1: failed; distilled batches (ran-batches.ts). */
    readonly committed: {
      readonly epoch: number;
      readonly height: number;
      readonly timestampMs: number;
      readonly committedMs: number;
    };
  };
}

/** Position in the submission, reason, text, when to send again. */
export type RefusalLine = readonly [at: number, reason: string, message: string, retryAfterMs: number | null];

export interface NodeSide extends Side {
  readonly calls: {
    /** bytes: transactions. Answer: see submit-results.ts. */
    readonly submit: readonly [{ readonly source: string | null }, { readonly refusals: readonly RefusalLine[] }];
    readonly pooled: readonly [{ readonly id: string; readonly isAttestationAwaited: boolean }, Head];
    readonly status: readonly [null, Head];
    readonly peers: readonly [null, Head];
    /** Answer's bytes: Prometheus text. */
    readonly metrics: readonly [null, null];
    readonly blockPeer: readonly [{ readonly peer: string; readonly reason: string }, Head];
    readonly unblockPeer: readonly [{ readonly peer: string }, Head];
    readonly logLevel: readonly [null, string];
    readonly setLogLevel: readonly [{ readonly level: string }, null];
  };
  readonly notices: {
    readonly telemetry: readonly TelemetryLine[];
    readonly finish: null;
  };
}

const MIB = 1024 * 1024;

export const API_QUEUES: Outlet<ApiSide> = {
  queues: {
    // One per turn of the event loop; a stream reader that misses one takes the state again.
    'api-events': { messagesMax: 4096, bytesMax: MIB, whenFull: 'drop' },
    // A lost notice is recovered from the ledger: by a waiting caller at its deadline, by the expiry watch at the expiry.
    'api-moves': { messagesMax: 8192, bytesMax: 64 * MIB, whenFull: 'drop' },
    'api-control': { messagesMax: 4, bytesMax: MIB, whenFull: 'fail' },
  },
  queueOf: {
    events: 'api-events',
    attested: 'api-moves',
    ordered: 'api-moves',
    committed: 'api-moves',
    open: 'api-control',
    pause: 'api-control',
    stop: 'api-control',
  },
};

export const NODE_QUEUES: Outlet<NodeSide> = {
  queues: {
    // Clients get 503 and send again.
    'node-submissions': { messagesMax: 1024, bytesMax: 32 * MIB, whenFull: 'refuse' },
    'node-questions': { messagesMax: 4096, bytesMax: MIB, whenFull: 'refuse' },
    'node-telemetry': { messagesMax: 1024, bytesMax: MIB, whenFull: 'drop' },
    'node-control': { messagesMax: 64, bytesMax: MIB, whenFull: 'refuse' },
  },
  queueOf: {
    submit: 'node-submissions',
    pooled: 'node-questions',
    status: 'node-questions',
    peers: 'node-questions',
    metrics: 'node-questions',
    blockPeer: 'node-control',
    unblockPeer: 'node-control',
    logLevel: 'node-control',
    setLogLevel: 'node-control',
    finish: 'node-control',
    telemetry: 'node-telemetry',
  },
};
