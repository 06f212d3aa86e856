/**
 * What goes between the API's thread and the others. Transactions and ids are bytes; events, status and peers are small values
 * that cross once, however many clients read them.
 *
 *   main --events, moves of transactions--> API --submissions, questions, acts--> main        API --state keys--> executor
 */
import type { ApiOptions } from '@slipstream/api';
import type { CommitteeCertificate, Genesis, GenesisHash } from '@slipstream/types';
import type { FleetMember } from '../config/fleet-member.ts';
import type { Outlet, Side } from '../threads/channel.ts';
import type { Head } from '../threads/parcel.ts';
import type { TelemetryLine } from '../threads/thread-telemetry.ts';

/** What the API's thread is started with. */
export interface ApiSetting {
  /** The data folder, absolute. */
  readonly folder: string;
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  readonly options: ApiOptions;
  /** The root key's word for this chain's committee. */
  readonly committeeCertificate: CommitteeCertificate | undefined;
  readonly fleet: readonly FleetMember[];
  /** Of the account that the faucet pays from; undefined where there is none. */
  readonly faucetSecret: Uint8Array | undefined;
}

/** An event before it is checked and numbered. With its time: it may wait for other news on its way. */
export type EventLine = readonly [type: string, data: Head, atMs: number];

export interface ApiSide extends Side {
  readonly calls: {
    /** Opens what it reads, listens. */
    readonly open: readonly [{ readonly height: number }, { readonly url: string }];
    /** Says bye to streams, ends waits, closes. */
    readonly stop: readonly [null, null];
  };
  readonly notices: {
    readonly events: readonly EventLine[];
    /** bytes: ids of transactions, one after the other. */
    readonly attested: null;
    readonly ordered: { readonly height: number };
    /** bytes: ids in the order of the receipts; a byte for each, 1 when it failed. */
    readonly committed: { readonly height: number; readonly timestampMs: number };
  };
}

/** Position of a transaction in its submission, why it was refused, in words, and when to offer it again. */
export type RefusalLine = readonly [at: number, reason: string, message: string, retryAfterMs: number | null];

export interface NodeSide extends Side {
  readonly calls: {
    /** bytes: transactions. Answer: see submit-results.ts. */
    readonly submit: readonly [{ readonly source: string | null }, { readonly refusals: readonly RefusalLine[] }];
    /** Of what is not committed. */
    readonly pooled: readonly [{ readonly id: string }, Head];
    readonly status: readonly [null, Head];
    readonly peers: readonly [null, Head];
    /** Answer's bytes: the text that Prometheus reads. */
    readonly metrics: readonly [null, null];
    readonly blockPeer: readonly [{ readonly peer: string; readonly reason: string }, Head];
    readonly unblockPeer: readonly [{ readonly peer: string }, Head];
    readonly logLevel: readonly [null, string];
    readonly setLogLevel: readonly [{ readonly level: string }, null];
  };
  readonly notices: {
    readonly telemetry: readonly TelemetryLine[];
    /** The process is to end, cleanly. */
    readonly finish: null;
  };
}

const MIB = 1024 * 1024;

export const API_QUEUES: Outlet<ApiSide> = {
  queues: {
    // A turn of the event loop makes one message; a reader of the stream that misses one takes the state again.
    'api-events': { messagesMax: 4096, bytesMax: MIB, whenFull: 'drop' },
    // What is lost is found in the ledger: by whoever waits at its deadline, by the watch at the expiry.
    'api-moves': { messagesMax: 8192, bytesMax: 64 * MIB, whenFull: 'drop' },
    'api-control': { messagesMax: 4, bytesMax: MIB, whenFull: 'fail' },
  },
  queueOf: {
    events: 'api-events',
    attested: 'api-moves',
    ordered: 'api-moves',
    committed: 'api-moves',
    open: 'api-control',
    stop: 'api-control',
  },
};

export const NODE_QUEUES: Outlet<NodeSide> = {
  queues: {
    // Clients are answered 503 and offer again.
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
