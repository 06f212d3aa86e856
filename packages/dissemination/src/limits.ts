/** Limits and times of dissemination. No configuration key sets one. Only those that say so are part of the protocol. */
import type { BudgetLimits } from '@slipstream/crypto';
import { CREDENTIAL_MEMORY_BYTES_MAX } from '@slipstream/types';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Tests and the simulator replace these, to reach a bound with few transactions. */
export const DISSEMINATION_LIMITS = {
  /** Ten full chunks, some twenty seconds at the reference machine's highest rate. */
  poolTransactionsMax: 100_000,
  poolBytesMax: 64 * MIB,
  /** A busy account of a Zipf workload sends about a tenth of all. */
  senderTransactionsMax: 16_384,
  /** About what a home validator packs in a second: one rich account is not the whole class. */
  senderUrgentMax: 512,
  /** From one member, or from all other peers together: half of the pool. */
  peerTransactionsMax: 50_000,
  peerBytesMax: 32 * MIB,
  /** In signature checks at once: two seconds of one core. */
  intakeTransactionsMax: 20_000,
  /** Client window: its least size, and its size before the first block. */
  clientWindowMin: 128,
  clientWindowStart: 512,
  /** Median time from acceptance to commit that the window aims at: p99 finality stays below two seconds. */
  clientTargetMs: 900,
  retryAfterMs: 1_000,
  /** Longest gathering of a batch. */
  gatherMs: 2,
  gatherSignaturesMax: 256,
  /** Of credentials found true; 0: none is remembered. */
  credentialBytesMax: CREDENTIAL_MEMORY_BYTES_MAX,
  /** Dropped transactions remembered for status requests. */
  dropsMax: 20_000,
  /** Longest gathering of a forwarded frame, which costs both ends 0.1 ms whatever is in it. */
  forwardDelayMs: 25,
  /** A full node resends to all connected validators what is pending this long. */
  resendMs: 2_000,
  resendTransactionsMax: 2_000,
  /** Execution's target time bounds a chunk further (execution-rate.ts). */
  chunkTransactionsMax: 10_000,
  /** For a leader's own execution of its block. Consensus hides up to about one network delay. */
  targetExecutionMs: 100,
  /** Where blocks come seldom. What executes slower than they come delays every validator. */
  targetExecutionMsMax: 200,
  /** After a quiet time, from the first ready transaction to the chunk. */
  chunkDelayMs: 25,
  /** After a quiet time, from the first ready transaction. */
  chunkBytes: 512 * KIB,
  /** Offered by brokers, waiting for a chunk: a second of four busy ones, and the largest eight times. */
  batchesMax: 1_024,
  batchBytesMax: 8 * MIB,
  brokerBatchesMax: 128,
  /** Packed at once. */
  uncertifiedChunksMax: 2,
  /** Other validators pack a transaction without a chunk after this time, per place in the ring from its home. */
  homeFallbackMs: 1_500,
  /** Pending (unreferenced, uncommitted) chunk bytes of one producer. */
  producerBytesMax: 32 * MIB,
  /**
   * The smallest chunk costs each node an ack, a place in a block and some kilobytes, as the largest does. By chunk-rate-controller.ts
   * 300 are made in one's life; 64 packed at once fill the bytes.
   */
  producerChunksMax: 512,
  /** No uncertified references for this long after a failed view or slow certification. */
  suspensionMs: 5_000,
  /** Of uncommitted chunks. */
  certificatesMax: 4_096,
  /** A deferred certificate is verified after this time without a block: three blocks of a busy chain. */
  certificateDeferMs: 600,
  /** Least time that a chunk which asks for no acks waits for a block: one block of a busy chain. */
  ackDelayMs: 400,
  /** Transactions whose attestation clients wait for. */
  attestationWaitsMax: 4_096,
  /** Certificates of one validator under verification, one pairing check each; honest are two for each producer. */
  certificateChecksMax: 256,
  /** Above this growth a chunk is sent uncompressed. */
  expansionMax: 64,
  /** Of committed chunks, in memory. */
  retainedBytesMax: 128 * MIB,
  chunkFetchesMax: 1_024,
  /** Of fetched chunks whose signatures are being checked: decoded, they take ten times as much. */
  unverifiedBytesMax: 4 * MIB,
  /** Of fetched chunks that are not committed: seconds of a node that catches up. The executor has a copy. */
  fetchedBytesMax: 64 * MIB,
};

export type DisseminationLimits = Readonly<typeof DISSEMINATION_LIMITS>;

/** A false credential costs two BLS verifications. All sources together take at most a fifth of a core. */
export const CREDENTIAL_BUDGET: BudgetLimits = {
  sourceTokens: 16,
  sourceTokensPerSecond: 1,
  allTokens: 128,
  allTokensPerSecond: 64,
  sourcesMax: 10_000,
};

/** Part of the protocol (D14): a chunk expires at most this long after the timestamp of a block that references it. */
export const REFERENCE_WINDOW_MS = 60_000;
/** Whose chunks a block may reference besides its own (D14): short epochs may end in less than the window. */
export const EARLIER_EPOCHS_MAX = 8;
/** From creation to expiry: below REFERENCE_WINDOW_MS, since clocks differ. */
export const CHUNK_LIFE_MS = 30_000;
/** To members without an ack. */
export const CHUNK_RESEND_MS = 1_000;
/** After the end of an epoch, for acks of its chunks under way. */
export const ABANDON_AFTER_MS = 500;
/**
 * After this node's move: a producer that has not moved goes on with the closed epoch, and its last chunks are on their way. Longer than the
 * nodes of a healthy network move apart.
 */
export const LATE_CHUNKS_MS = 1_000;
/** Clients are refused while a ready transaction has waited this long. */
export const READY_WAIT_MS_MAX = 3_000;
/** Clients are refused while an own chunk has waited this long for a block. */
export const OWN_CHUNK_WAIT_MS_MAX = 10_000;
/** A chunk without a certificate after this time is an orphan: every peer has it, and its producer may be dead. */
export const ORPHAN_MS = 1_500;
/**
 * Another producer's chunk without certificate or block after this time is stranded: its transactions are packed again. Far above a slow
 * day's delay, far below a transaction's life.
 */
export const STRANDED_MS = 5_000;
/** A block's chunk may be on its way: requesting it at once would double the traffic of proposals. */
export const ARRIVAL_WAIT_MS = 60;
/** Before a repeated request; doubles up to the maximum. */
export const FETCH_RETRY_MS = 50;
export const FETCH_RETRY_MS_MAX = 2_000;
/** Blocks whose references are remembered. Consensus has a tighter bound. */
export const TRACKED_BLOCKS_MAX = 8_192;
