/**
 * Messages between the API's thread and the others. Events, status and peers cross once, however many clients read them.
 *
 *   main --events, moves of transactions--> API --submissions, queries, actions--> main        API --state keys--> executor
 */
import type { ApiOptions } from '@slipstream/api';
import type { ChainView } from '@slipstream/broker';
import type { FleetMember } from '@slipstream/node-home';
import type { PeerKey } from '@slipstream/ports';
import type { CommitteeCertificate, Genesis, GenesisHash } from '@slipstream/types';
import type { Outlet, Side } from '../threads/channel.ts';
import type { Head } from '../threads/message.ts';
import type { TelemetryLine } from '../threads/thread-telemetry.ts';

export interface ApiSetting {
  readonly folder: string;
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  /** Artifacts, in the order of genesis. */
  readonly applications: readonly Uint8Array[];
  /** Artifacts of upgrades. */
  readonly accepted: readonly Uint8Array[];
  readonly options: ApiOptions;
  readonly committeeCertificate: CommitteeCertificate | undefined;
  readonly fleet: readonly FleetMember[];
  /** One transaction in so many; 0: tracing is off. */
  readonly tracedOneIn: number;
  readonly profilesTurns: boolean;
  /** Network key of this node, which its batches name; undefined: it is no broker. */
  readonly broker: PeerKey | undefined;
  /** Undefined: no faucet. */
  readonly faucetSecret: Uint8Array | undefined;
  /** Development: about balances. */
  readonly lies: boolean;
}

/** An event with its time, because it may wait for others. */
export type EventLine = readonly [type: string, data: Head, atMs: number];

export interface ChainHead extends ChainView {
  readonly [name: string]: number | bigint | boolean;
  /** This node packs batches, or is connected to one that does. */
  readonly hasProducer: boolean;
}

export interface ApiSide extends Side {
  readonly calls: {
    /** bytes: artifacts, in the order of genesis; none: those of before. */
    readonly open: readonly [{ readonly height: number }, { readonly url: string }];
    /** bytes: an artifact of a later epoch. Answered once reads know it. */
    readonly accepted: readonly [null, null];
    /** Until the next `open` the stores are closed, and reads are answered with 503. */
    readonly pause: readonly [null, null];
    readonly stop: readonly [null, null];
  };
  readonly notices: {
    readonly events: readonly EventLine[];
    /** bytes: concatenated ids. */
    readonly attested: null;
    readonly ordered: { readonly height: number };
    /** For a broker, before `committed` of its block. */
    readonly chain: ChainHead;
    /**
     * bytes: ids in the order of the receipts; a byte each, 1: failed; for a broker, ids that the block skipped; distilled batches
     * (ran-batches.ts).
     */
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

/** As OfferAnswer of packages/broker. */
interface OfferHead {
  readonly [name: string]: string | number | null;
  readonly type: 'accepted' | 'later' | 'wrong-epoch' | 'refused';
  readonly retryAfterMs: number | null;
  readonly reason: string | null;
}

export interface NodeSide extends Side {
  readonly calls: {
    /** bytes: transactions. Answer: see submit-results.ts. */
    readonly submit: readonly [{ readonly source: string | null }, { readonly refusals: readonly RefusalLine[] }];
    /** bytes: message, indices u32 each, aggregate. */
    readonly checkLogin: readonly [null, boolean];
    /** bytes: message, then for each share its indices and signature. Answer's bytes: a byte each, 1: good; the aggregate, if there is one. */
    readonly sumShares: readonly [null, null];
    /** bytes: keys, messages, signatures, each list joined. Answer's bytes: a byte each, 1: it holds. */
    readonly checkStragglers: readonly [null, null];
    /** bytes: a distilled batch. */
    readonly offerBatch: readonly [null, OfferHead];
    readonly pooled: readonly [{ readonly id: string; readonly isAttestationAwaited: boolean }, Head];
    readonly status: readonly [null, Head];
    readonly peers: readonly [null, Head];
    /** Answer's bytes: Prometheus text. */
    readonly metrics: readonly [null, null];
    readonly blockPeer: readonly [{ readonly peer: string; readonly reason: string }, Head];
    readonly unblockPeer: readonly [{ readonly peer: string }, Head];
    readonly artifacts: readonly [null, Head];
    /** Hexadecimal hash. */
    readonly acceptArtifact: readonly [{ readonly hash: string }, Head];
    readonly quarantine: readonly [null, Head];
    readonly quarantineAction: readonly [{ readonly application: string; readonly action: string }, Head];
    readonly liftQuarantine: readonly [{ readonly application: string; readonly action: string }, Head];
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
    // A development chain exchanges its one application.
    'api-control': { messagesMax: 4, bytesMax: 2 * MIB, whenFull: 'fail' },
  },
  queueOf: {
    events: 'api-events',
    attested: 'api-moves',
    ordered: 'api-moves',
    chain: 'api-moves',
    committed: 'api-moves',
    open: 'api-control',
    accepted: 'api-control',
    pause: 'api-control',
    stop: 'api-control',
  },
};

export const NODE_QUEUES: Outlet<NodeSide> = {
  queues: {
    // Clients get 503 and send again.
    'node-submissions': { messagesMax: 1024, bytesMax: 32 * MIB, whenFull: 'refuse' },
    'node-questions': { messagesMax: 4096, bytesMax: MIB, whenFull: 'refuse' },
    // When it is full, the broker refuses rows for now. The bound is above the size of some full batches.
    'node-broker': { messagesMax: 1024, bytesMax: 32 * MIB, whenFull: 'refuse' },
    'node-telemetry': { messagesMax: 1024, bytesMax: MIB, whenFull: 'drop' },
    'node-control': { messagesMax: 64, bytesMax: MIB, whenFull: 'refuse' },
  },
  queueOf: {
    submit: 'node-submissions',
    checkLogin: 'node-broker',
    sumShares: 'node-broker',
    checkStragglers: 'node-broker',
    offerBatch: 'node-broker',
    pooled: 'node-questions',
    status: 'node-questions',
    peers: 'node-questions',
    metrics: 'node-questions',
    blockPeer: 'node-control',
    unblockPeer: 'node-control',
    artifacts: 'node-questions',
    acceptArtifact: 'node-control',
    quarantine: 'node-questions',
    quarantineAction: 'node-control',
    liftQuarantine: 'node-control',
    logLevel: 'node-control',
    setLogLevel: 'node-control',
    finish: 'node-control',
    telemetry: 'node-telemetry',
  },
};
