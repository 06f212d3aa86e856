/**
 * Limits and times of dissemination, with their reasons. They are constants of this version: no configuration key sets one, and none is
 * part of the protocol but those that say so.
 */
import type { BudgetLimits } from '@slipstream/crypto';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Constants that tests and the simulator replace, to reach a bound with few transactions. */
export const DISSEMINATION_LIMITS = {
  /** Transactions in the pool: ten full chunks, some twenty seconds of the reference machine's highest rate. */
  poolTransactionsMax: 100_000,
  poolBytesMax: 64 * MIB,
  /** Of one sender: a busy account of a Zipf workload sends about a tenth of all. */
  senderTransactionsMax: 16_384,
  /** Urgent ones of one sender: about what its home validator packs in a second, so that one rich account is not the whole class. */
  senderUrgentMax: 512,
  /** Brought by one member of the committee, or by all other peers together: half of the pool, so that no peer fills it alone. */
  peerTransactionsMax: 50_000,
  peerBytesMax: 32 * MIB,
  /** Transactions in signature checks at once: two seconds of work for one core. */
  intakeTransactionsMax: 20_000,
  /** Transactions of clients on their way to a block at once: at least, and before the first block. */
  clientWindowMin: 128,
  clientWindowStart: 512,
  /** The median time from acceptance to commit that the window aims at: p99 finality stays below two seconds. */
  clientTargetMs: 900,
  /** When a refused client should try again. */
  retryAfterMs: 1_000,
  /** Signatures gather this long, or until a batch is full. */
  gatherMs: 2,
  gatherSignaturesMax: 256,
  /** Dropped transactions whose reason is remembered for status requests. */
  dropsMax: 20_000,
  /** Forwarded transactions gather this long, or until a frame is full: a frame costs both ends 0.1 ms, whatever is in it. */
  forwardDelayMs: 25,
  /** A full node sends what is pending after this time to all validators it is connected to. */
  resendMs: 2_000,
  resendTransactionsMax: 2_000,
  /** Transactions of a chunk; what execution takes within its target time bounds it further (execution-rate.ts). */
  chunkTransactionsMax: 10_000,
  /** A leader fills a block with what it executes itself within this time. Up to about one network delay, consensus hides execution. */
  targetExecutionMs: 100,
  /** After a quiet time, a chunk is packed this long after the first transaction that is ready. */
  chunkDelayMs: 25,
  /** So many ready bytes are packed at once, however little time has passed. */
  chunkBytes: 512 * KIB,
  /** Own chunks without a certificate. Beyond it packing waits, so that a slow machine has less to do. */
  uncertifiedChunksMax: 2,
  /** Another validator packs what its home validator has not put into a chunk after this time (per place in the ring). */
  homeFallbackMs: 1_500,
  /** Pending (unreferenced, uncommitted) chunk bytes of one producer. */
  producerBytesMax: 32 * MIB,
  /**
   * And chunks: the smallest costs each node some kilobytes of memory, an ack and a place in a block, as the largest does. At the rate of
   * chunk-rate-controller.ts 90 are made in the life of one, and 64 that are packed at once fill the bytes.
   */
  producerChunksMax: 512,
  /** Uncertified chunks are not referenced for this long after a failed view or a slow certification. */
  troubleMs: 5_000,
  /** Certificates retained of chunks that are not committed. */
  certificatesMax: 4_096,
  /** A deferred certificate is verified when no block has its chunk after this time: three blocks of a busy chain. */
  claimMs: 600,
  /** Certificates of one validator with the verifier at a time, one pairing check each: two for each producer of the committee are honest. */
  certificateChecksMax: 256,
  /** A chunk that would grow by more than this factor when it is opened is sent uncompressed. */
  expansionMax: 64,
  /** Bytes of committed chunks in memory, for peers that are a little behind. */
  retainedBytesMax: 128 * MIB,
  /** Chunks requested at once. The others wait for their turn. */
  chunkFetchesMax: 1_024,
};

export type DisseminationLimits = Readonly<typeof DISSEMINATION_LIMITS>;

/** False credentials: each costs two BLS verifications. Those of all sources together take at most a fifth of a core. */
export const CREDENTIAL_BUDGET: BudgetLimits = {
  sourceTokens: 16,
  sourceTokensPerSecond: 1,
  allTokens: 128,
  allTokensPerSecond: 64,
  sourcesMax: 10_000,
};

/** Part of the protocol (D14): a chunk expires at most this long after the timestamp of a block that references it. */
export const REFERENCE_WINDOW_MS = 60_000;
/** How long a chunk may be referenced after it was made: below REFERENCE_WINDOW_MS, since clocks differ. */
export const CHUNK_LIFE_MS = 30_000;
/** A chunk goes again to the members that have not acknowledged it after this time. */
export const CHUNK_RESEND_MS = 1_000;
/** Clients are refused while the oldest ready transaction has waited this long to be packed. */
export const READY_WAIT_MS_MAX = 3_000;
/** Clients are refused while an own chunk has waited this long for its block: the chain does not keep up. */
export const OWN_CHUNK_WAIT_MS_MAX = 10_000;
/** A chunk without a certificate after this time is an orphan: every peer has it by now, and its producer may be dead. */
export const ORPHAN_MS = 1_500;
/**
 * Another producer's chunk that has neither a certificate nor a block after this time is stranded: its transactions are packed again. Far
 * above what both take on a slow day, and far below the life of a transaction.
 */
export const STRANDED_MS = 5_000;
/** A chunk of a block may be on its way: requesting it at once would double the traffic of every proposal. */
export const ARRIVAL_WAIT_MS = 60;
/** Pause before a chunk is requested again. It doubles up to the maximum. */
export const FETCH_RETRY_MS = 50;
export const FETCH_RETRY_MS_MAX = 2_000;
/** Blocks whose chunk references are remembered. Consensus bounds them more closely. */
export const TRACKED_BLOCKS_MAX = 8_192;
