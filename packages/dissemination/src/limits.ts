/** Maxima and times of dissemination, with their reasons. All may be set by configuration; none is part of the protocol. */
import type { BudgetLimits } from '@slipstream/crypto';

const KIB = 1024;
const MIB = 1024 * KIB;

export interface DisseminationLimits {
  /** Transactions waiting: ten full chunks, some twenty seconds of the reference machine's highest rate. */
  readonly poolTransactionsMax: number;
  readonly poolBytesMax: number;
  /** Of one sender: a busy account of a Zipf workload sends about a tenth of all. */
  readonly senderTransactionsMax: number;
  /** Urgent ones of one sender: about what its home validator packs in a second, so that one rich account is not the class. */
  readonly senderUrgentMax: number;
  /** Brought by one member of the committee, or by all other peers together: half of the pool, so that nobody can fill it alone. */
  readonly peerTransactionsMax: number;
  readonly peerBytesMax: number;
  /** Transactions in signature checks at once: two seconds of work for one core. */
  readonly intakeTransactionsMax: number;
  /** Transactions of clients on their way to a block at once: at least, and before anything is known of the chain's pace. */
  readonly clientWindowMin: number;
  readonly clientWindowStart: number;
  /** Half of what a block commits is to have been accepted within this time: p99 finality stays below two seconds. */
  readonly clientTargetMs: number;
  /** What a refused client is told to wait. */
  readonly retryAfterMs: number;
  /** Signatures gather this long, or until a batch is full. */
  readonly gatherMs: number;
  readonly gatherSignaturesMax: number;
  /** Credentials that may turn out false, before their senders must wait: each costs two BLS verifications. */
  readonly credentials: BudgetLimits;
  /** Drops whose reason is remembered for whoever asks for the status. */
  readonly dropsMax: number;
  /** Forwarded transactions gather this long, or until a frame is full: a frame costs both ends 0.1 ms, whatever is in it. */
  readonly forwardDelayMs: number;
  /** A full node sends what is still pending after this time to all validators it knows. */
  readonly resendMs: number;
  readonly resendTransactionsMax: number;
  /** Transactions of a chunk; what execution takes within its target time bounds it further (execution-rate.ts). */
  readonly chunkTransactionsMax: number;
  /** A leader fills a block with what it executes itself within this time: about one network delay, or it is not hidden. */
  readonly targetExecutionMs: number;
  /** After a quiet time, a chunk is packed this long after the first transaction that is ready. */
  readonly chunkDelayMs: number;
  /** As many bytes are packed at once, however little time has passed. */
  readonly chunkBytes: number;
  /** Own chunks without a certificate: then packing waits, so that a machine that is slow is asked for less. */
  readonly uncertifiedChunksMax: number;
  /** A chunk goes again to those that have not acknowledged it after this time. */
  readonly chunkResendMs: number;
  /** Another validator packs what its home validator has not put into a chunk after this time (per place in the ring). */
  readonly homeFallbackMs: number;
  /** Pending (unreferenced, uncommitted) chunk bytes of one producer. */
  readonly producerBytesMax: number;
  /**
   * And chunks: the smallest cost each node some kilobytes of memory, an ack and a place in a block as the largest do. At the pace of
   * pace.ts 90 are made in the life of one, and 64 that are packed at once fill the bytes.
   */
  readonly producerChunksMax: number;
  /** Clients are refused while what is ready has waited this long to be packed. */
  readonly readyWaitMsMax: number;
  /** Clients are refused while an own chunk has waited this long for its block: the chain does not keep up. */
  readonly ownChunkWaitMsMax: number;
  /** No chunk without a certificate is referenced for this long after a failed view or a slow certification. */
  readonly troubleMs: number;
  /** Held this long without a certificate: whoever was sent it has it, its producer may be dead. One a block is referenced. */
  readonly orphanMs: number;
  /**
   * What a chunk of another's holds is packed anew when it has neither a certificate nor a block after this time: far above what both
   * take on a slow day, and far below the life of a transaction.
   */
  readonly strandedMs: number;
  /** Certificates kept of chunks that are not committed. */
  readonly certificatesMax: number;
  /** A certificate that nothing rests on is verified when no block has its chunk after this time: three blocks of a busy chain. */
  readonly claimMs: number;
  /** Certificates of one validator with the verifier at a time, one pairing check each: two a producer of the committee are honest. */
  readonly certificateChecksMax: number;
  /** A compressed chunk may grow this much; one that would grow more is sent as it is. */
  readonly expansionMax: number;
  /** Chunks of committed blocks kept in memory to serve peers that are a little behind. */
  readonly retainedBytesMax: number;
  /** A block's chunk may be on its way: asking for it at once would double the traffic of every proposal. */
  readonly arrivalWaitMs: number;
  /** Pause before a chunk is asked for again; doubles up to the maximum. */
  readonly fetchRetryMs: number;
  readonly fetchRetryMsMax: number;
  /** Chunks asked for at once; the others that are waited for are asked for in turn. */
  readonly chunkFetchesMax: number;
  /** Blocks whose chunk references are remembered. */
  readonly notedBlocksMax: number;
}

export const DISSEMINATION_DEFAULTS: DisseminationLimits = {
  poolTransactionsMax: 100_000,
  poolBytesMax: 64 * MIB,
  senderTransactionsMax: 16_384,
  senderUrgentMax: 512,
  peerTransactionsMax: 50_000,
  peerBytesMax: 32 * MIB,
  intakeTransactionsMax: 20_000,
  clientWindowMin: 128,
  clientWindowStart: 512,
  clientTargetMs: 900,
  retryAfterMs: 1_000,
  gatherMs: 2,
  gatherSignaturesMax: 256,
  credentials: {
    sourceTokens: 16,
    sourceTokensPerSecond: 1,
    // A fifth of a core, whatever comes from how many addresses.
    allTokens: 128,
    allTokensPerSecond: 64,
    sourcesMax: 10_000,
  },
  dropsMax: 20_000,
  forwardDelayMs: 25,
  resendMs: 2_000,
  resendTransactionsMax: 2_000,
  chunkTransactionsMax: 10_000,
  targetExecutionMs: 100,
  chunkDelayMs: 25,
  chunkBytes: 512 * KIB,
  uncertifiedChunksMax: 2,
  chunkResendMs: 1_000,
  homeFallbackMs: 1_500,
  producerBytesMax: 32 * MIB,
  producerChunksMax: 512,
  readyWaitMsMax: 3_000,
  ownChunkWaitMsMax: 10_000,
  troubleMs: 5_000,
  orphanMs: 1_500,
  strandedMs: 5_000,
  certificatesMax: 4_096,
  claimMs: 600,
  certificateChecksMax: 256,
  expansionMax: 64,
  retainedBytesMax: 128 * MIB,
  arrivalWaitMs: 60,
  fetchRetryMs: 50,
  fetchRetryMsMax: 2_000,
  chunkFetchesMax: 1_024,
  notedBlocksMax: 8_192,
};

/** A chunk may be referenced this long after it was made. Below the 60 s of the rule (payload.ts): clocks differ. */
export const CHUNK_LIFE_MS = 30_000;

/** A chunk expires at most this long after the timestamp of a block that references it: so long are references remembered. */
export const REFERENCE_WINDOW_MS = 60_000;
