/** What a broker needs of its node. */
import type { Batch, BatchRecord } from '@slipstream/distilled';
import type { BrokerMessage, EndReason } from '@slipstream/distilled/stream';
import type { AccountSignature, Clock, Random, Telemetry } from '@slipstream/ports';

/** As of the newest final block that is executed here. */
export interface ChainView {
  readonly epoch: number;
  /** KNOWN_AT_DEPTH below its height; 0 at least. */
  readonly knownAt: number;
  /** Entries of the account directory at knownAt. */
  readonly directorySize: number;
  readonly rowFee: bigint;
  readonly stragglerFee: bigint;
  /** Of a row, after three windows of rising prices. */
  readonly feeCap: bigint;
}

/** Of an index, in committed state. */
export interface AccountState {
  readonly balance: bigint;
  readonly last: number;
  /** Two words, the low one first. */
  readonly mask: Uint32Array;
  /** Its account registered again. */
  readonly isRetired: boolean;
  /** 32 bytes, Ed25519; undefined: of another scheme, and without straggler signatures. */
  readonly publicKey: Uint8Array | undefined;
}

export interface IndexedShare {
  readonly indices: Uint32Array;
  /** 192 bytes. */
  readonly signature: Uint8Array;
}

export interface SumOfShares {
  readonly aggregate: Uint8Array | undefined;
  readonly good: readonly boolean[];
}

/** Each rejects when it cannot be done now. */
interface BrokerChecks {
  login(message: Uint8Array, indices: Uint32Array, aggregate: Uint8Array): Promise<boolean>;
  shares(message: Uint8Array, shares: readonly IndexedShare[]): Promise<SumOfShares>;
  stragglers(signatures: readonly AccountSignature[]): Promise<readonly boolean[]>;
}

export type OfferAnswer =
  | { readonly type: 'accepted' }
  | { readonly type: 'later'; readonly retryAfterMs: number; readonly reason: string }
  | { readonly type: 'wrong-epoch' }
  /** Never with these bytes. */
  | { readonly type: 'refused'; readonly reason: string };

export interface BrokerComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  /** Undefined: this node is behind its chain, reaches no validator, or stops. */
  chain(): ChainView | undefined;
  /** One each, in order; undefined: the index has no entry. Rejects when the state cannot be read now. */
  accounts(indices: Uint32Array): Promise<readonly (AccountState | undefined)[]>;
  readonly checks: BrokerChecks;
  /** To a validator. */
  offer(bytes: Uint8Array, batch: Batch): Promise<OfferAnswer>;
}

/** To one client. */
export interface Carrier {
  send(bytes: Uint8Array): void;
  unsentBytes(): number;
  close(reason: EndReason, detail: string): void;
  /** At once; frees what is unsent. */
  terminate(): void;
}

/** A committed block, and the batches that ran in it. No height is left out while batches have no outcome, as they expire by its time. */
export interface CommittedBlock {
  readonly epoch: number;
  readonly height: number;
  readonly timestampMs: number;
  readonly batches: readonly BatchRecord[];
  /** Batch ids in hex, among others: what it skipped, but for copies of what ran. */
  readonly skipped: ReadonlySet<string>;
}

export interface Session {
  readonly address: string;
  /** False: its stream is closed. */
  readonly isOpen: boolean;
  /** Another header might cut it off: too much is unread. */
  readonly isBehind: boolean;
  /** In flight. */
  rows: number;
  send(message: BrokerMessage): void;
  /** Ends the stream if it has had too many. */
  refused(rows: number): void;
}
