/** Maxima and times of dissemination, with their reasons. All may be set by configuration; none is part of the protocol. */

const KIB = 1024;
const MIB = 1024 * KIB;

export interface DisseminationLimits {
  /** Transactions waiting: ten full chunks, some twenty seconds of the reference machine's highest rate. */
  readonly poolTransactionsMax: number;
  readonly poolBytesMax: number;
  /** Of one sender: a busy account of a Zipf workload sends about a tenth of all. */
  readonly senderTransactionsMax: number;
  /** Brought by one peer: half of the pool, so that no peer can fill it alone. */
  readonly peerTransactionsMax: number;
  /** Transactions in signature checks at once: two seconds of work for one core. */
  readonly intakeTransactionsMax: number;
  /** What a refused client is told to wait. */
  readonly retryAfterMs: number;
  /** Signatures gather this long, or until a batch is full (signatures.md, "Batching"). */
  readonly gatherMs: number;
  readonly gatherSignaturesMax: number;
  /** Verdicts kept, so that nothing is verified twice in a node. */
  readonly verdictsMax: number;
  /** Drops whose reason is remembered for whoever asks for the status. */
  readonly dropsMax: number;
  /** Forwarded transactions gather this long, or until a frame is full. */
  readonly forwardDelayMs: number;
  /** A full node sends what is still pending after this time to all validators it knows. */
  readonly resendMs: number;
  readonly resendTransactionsMax: number;
  /** Transactions of a chunk; what execution takes within its target time bounds it further. */
  readonly chunkTransactionsMax: number;
  /** Pending (unreferenced, uncommitted) chunk bytes of one producer. */
  readonly producerBytesMax: number;
  /** Chunks of committed blocks kept in memory to serve peers that are a little behind. */
  readonly retainedBytesMax: number;
  /** A block's chunk may be on its way: asking for it at once would double the traffic of every proposal. */
  readonly arrivalWaitMs: number;
  /** Pause before a chunk is asked for again; doubles up to the maximum. */
  readonly fetchRetryMs: number;
  readonly fetchRetryMsMax: number;
  /** Chunks waited for at once. */
  readonly wantedChunksMax: number;
  /** Blocks whose chunk references are remembered. */
  readonly notedBlocksMax: number;
}

export const DISSEMINATION_DEFAULTS: DisseminationLimits = {
  poolTransactionsMax: 100_000,
  poolBytesMax: 64 * MIB,
  senderTransactionsMax: 16_384,
  peerTransactionsMax: 50_000,
  intakeTransactionsMax: 20_000,
  retryAfterMs: 1_000,
  gatherMs: 2,
  gatherSignaturesMax: 256,
  verdictsMax: 200_000,
  dropsMax: 20_000,
  forwardDelayMs: 5,
  resendMs: 2_000,
  resendTransactionsMax: 2_000,
  chunkTransactionsMax: 10_000,
  producerBytesMax: 32 * MIB,
  retainedBytesMax: 128 * MIB,
  arrivalWaitMs: 30,
  fetchRetryMs: 50,
  fetchRetryMsMax: 2_000,
  wantedChunksMax: 1_024,
  notedBlocksMax: 8_192,
};

/** A chunk may be referenced this long after it was made. Below the 60 s of the rule (payload.ts): clocks differ. */
export const CHUNK_LIFE_MS = 30_000;

/** A chunk expires at most this long after the timestamp of a block that references it: so long are references remembered. */
export const REFERENCE_WINDOW_MS = 60_000;
