/** What a distillery is opened with, and what it answers. */
import type { RowOutcome } from '@slipstream/distilled';
import type { KeyPair } from '../keys.ts';
import type { BlsKeyPair } from '../register.ts';
import type { Fetch } from '../request.ts';
import type { BrokerSocketConstructor } from './broker-socket.ts';
import type { SignShare } from './share-signer.ts';

/** An account of the directory. */
export interface DistilleryKeys {
  readonly account: KeyPair;
  readonly bls: BlsKeyPair;
  /** In the directory. Default: read with its proof. A wrong one gets no further than the login, which its key does not sign. */
  readonly index?: number;
}

export interface TransferRequest {
  /** Index or account of the sender; needed if there are several. */
  readonly from?: string | number;
  /** An account, whose index is read with its proof; or an index that the caller has proven. */
  readonly to: string | number;
  readonly amount: bigint;
  /** For the recipient. Default 0. */
  readonly tag?: number;
  /** The row may run until then otherwise. */
  readonly signal?: AbortSignal;
}

export interface TransferResult {
  readonly status: 'success' | 'failed';
  /** Of a failed one: its fee is charged, its sequence used. */
  readonly code?: string;
  /** 0x and hexadecimal: what names it in all routes. */
  readonly rowId: string;
  readonly height: number;
  readonly sender: number;
  readonly sequence: number;
  /** Of the batch's two, which its proof shows, the one that the broker names; of a row without a broker's word, by whether it got a share. */
  readonly fee: bigint;
  /** What a committee certified, from `prove`; undefined where proofs are turned off: then the outcome is the broker's word. */
  readonly proof?: unknown;
}

/** What a proof of a row shows. */
export interface ProvenOutcome {
  readonly outcome: RowOutcome;
  readonly height: number;
  /** Of a charged row of its batch: by a share, and by its own signature. Zero: none was charged so. */
  readonly fees: { readonly row: bigint; readonly straggler: bigint };
  readonly proof: unknown;
}

/** Throws ClientError; `retryable` or not yet known: it is asked again. */
export type ProveRow = (rowId: string, signal: AbortSignal) => Promise<ProvenOutcome>;

export type BrokerEvent =
  | { readonly type: 'connecting' | 'live'; readonly url: string }
  | {
      readonly type: 'lost';
      readonly url: string;
      readonly code: BrokerFault;
      readonly reason: string;
      readonly retryInMs: number;
    }
  /** It asked for a share that this client did not give, or sent outcomes that are of no batch here. */
  | { readonly type: 'withheld'; readonly url: string; readonly reason: string };

export type BrokerFault =
  | 'unreachable' // also a connection that was cut
  | 'unresponsive' // rows got no outcome in time
  | 'ended' // by the broker, with a reason
  | 'wrong-chain'
  | 'malformed' // messages out of form or order
  | 'flood'
  | 'false-header' // rows of the client that it did not make, or a tree that is none
  | 'false-outcome'; // of more or fewer rows than it showed, or not as proven

export interface DistilleryOptions {
  /** The genesis file's JSON, or committees followed from it: what proofs are checked against. */
  readonly chain: unknown;
  /** Ed25519 signatures of rows, so that they run without a share too, for the fee of an ordinary transfer. Default true. */
  readonly stragglers?: boolean;
  /** The most that a row may cost. Default: what the broker's terms say; the chain charges its own prices. */
  readonly feeCap?: bigint;
  /** The same of a row by its straggler signature. Default: as much above the fee of the terms as the cap of rows is. */
  readonly stragglerFeeCap?: bigint;
  /** After it a row cannot run any more. Default 50 s, at most 60 s. */
  readonly lifeMs?: number;
  /** Default: reads and verifies the row's proof. `false`: outcomes are the broker's word. */
  readonly prove?: ProveRow | false;
  /** Default: WebAssembly, in a page within a worker. */
  readonly signShare?: SignShare;
  /** Ed25519 over 32 bytes. Default: in JavaScript. */
  readonly signRow?: (message: Uint8Array, secret: Uint8Array) => Uint8Array;
  /** For login and answers. Default 10 s. */
  readonly timeoutMs?: number;
  /** A broker without an outcome for so long is left for the next one. Default 8 s. */
  readonly patienceMs?: number;
  /** Transfers that wait or are in flight. Default 10,000. */
  readonly transfersMax?: number;
  readonly onBroker?: (event: BrokerEvent) => void;
  readonly fetch?: Fetch;
  readonly WebSocket?: BrokerSocketConstructor;
}

export interface Distillery {
  /** Indices of the senders, once they are known. Throws ClientError, as a transfer would. */
  ready(): Promise<readonly number[]>;
  /**
   * Resolves when its block is final. The row goes to another broker when one is lost; it runs once. Throws ClientError `row-refused`,
   * `row-skipped`, `row-expired`, `queue-full`, `closed`, `aborted`, `bad-argument`.
   */
  transfer(request: TransferRequest): Promise<TransferResult>;
  /** Idempotent. Transfers that did not end throw `closed`. */
  close(): void;
}
