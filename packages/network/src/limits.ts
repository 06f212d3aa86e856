/** Maxima of the transport. Options override what an operator may change. */
import type { Lane } from '@slipstream/ports';
import type { Rate } from '@slipstream/primitives';

const KIB = 1024;
const MIB = 1024 * KIB;

export const FRAME_PREFIX_BYTES = 4;

/**
 * Wire format of all lanes, part of the protocol id: nodes of two versions do not connect. Also raised when the same blocks give other
 * bytes of state. 2: answers to the signing-history query have certificates. 3: state in rows. 4: no integer above 2^53 - 1. 5: heartbeats
 * have the view up to which their sender refuses to vote. 7: heartbeats and signing-history queries name the epoch. 8: chunk headers
 * say whether they ask for acks. 9: digest preimages have the roots of distilled batches and directory.
 * 10: chunks have distilled batches. 11: brokers offer batches to producers. 12: digest
 * preimages have the root of the state tree. 13: nodes of Merkle trees hash 64 bytes. 14: genesis has applications,
 * receipts have longer outputs. 15: records and readiness name artifacts. 16: peers ask for artifacts.
 */
export const PROTOCOL_VERSION = 16;

/** A consensus frame waits for at most one such write before the socket's buffer (64 KiB). A Noise message has 64 KiB. */
export const WRITE_BYTES_MAX = 64 * KIB - 512;

/**
 * Receive window of a lane: a slowly read lane's memory, and the data that may precede a vote in the sockets' buffers (84 ms at 100
 * Mbit/s). At a round trip of 300 ms it allows 3.5 MB/s per peer and lane, three times a busy chunk lane of ten validators. Both ends must
 * agree, so it belongs to PROTOCOL_VERSION.
 */
export const LANE_WINDOW_BYTES = MIB;

export interface QueueLimit {
  readonly bytesMax: number;
  readonly framesMax: number;
}

/** Unsent frames of one peer and lane, about ten seconds of a busy one; above a limit the oldest are dropped. */
export const QUEUE_LIMITS: Readonly<Record<Lane, QueueLimit>> = {
  consensus: { bytesMax: 8 * MIB, framesMax: 16_384 },
  proposal: { bytesMax: 16 * MIB, framesMax: 1_024 },
  chunk: { bytesMax: 64 * MIB, framesMax: 4_096 },
  transaction: { bytesMax: 16 * MIB, framesMax: 16_384 },
  sync: { bytesMax: 32 * MIB, framesMax: 1_024 },
};

export interface Quota {
  readonly bytesPerSecond: number;
  readonly framesPerSecond: number;
  /** Full bucket, in seconds of refill. */
  readonly burstSeconds: number;
}

/**
 * Read quota of one validator and lane; the rest waits at the peer. Ten times an honest peak. A frame costs some 10 us, even an empty one,
 * so a lane's burst is 100 ms at most.
 */
export const QUOTAS: Readonly<Record<Lane, Quota>> = {
  consensus: { bytesPerSecond: 8 * MIB, framesPerSecond: 2_000, burstSeconds: 4 },
  proposal: { bytesPerSecond: 16 * MIB, framesPerSecond: 2_000, burstSeconds: 4 },
  chunk: { bytesPerSecond: 128 * MIB, framesPerSecond: 2_000, burstSeconds: 2 },
  transaction: { bytesPerSecond: 32 * MIB, framesPerSecond: 1_000, burstSeconds: 2 },
  sync: { bytesPerSecond: 64 * MIB, framesPerSecond: 5_000, burstSeconds: 2 },
};

/**
 * Read quota of a full node. Any key may be one, and an empty frame costs 2 to 10 us here and 9 bytes there. Each new connection has a
 * burst: 4 ms in all.
 */
const FULL_NODE_QUOTA: Quota = { bytesPerSecond: MIB, framesPerSecond: 500, burstSeconds: 0.2 };
export const FULL_NODE_QUOTAS: Readonly<Record<Lane, Quota>> = {
  consensus: FULL_NODE_QUOTA,
  proposal: FULL_NODE_QUOTA,
  chunk: FULL_NODE_QUOTA,
  transaction: { bytesPerSecond: 8 * MIB, framesPerSecond: 500, burstSeconds: 0.5 },
  sync: { bytesPerSecond: 64 * MIB, framesPerSecond: 2_000, burstSeconds: 0.25 },
};

/**
 * Read quota of one connection over all lanes. A muxer frame costs 0.3 to 2.7 us and a record some 10 us: a peer uses at most a tenth of a
 * thread. An honest node needs some 2,000 per second under load. The burst is small, because each new connection has one, also of unknown
 * keys. Bytes: the sum of all lanes, for a stream that belongs to none.
 */
export const MUXER_QUOTA: Quota = { bytesPerSecond: 256 * MIB, framesPerSecond: 20_000, burstSeconds: 0.5 };

/**
 * Memory of begun frames of all full nodes: several of the largest from each of a few that serve blocks at once. Without it 64 of them could
 * begin the largest of each lane.
 */
export const UNFINISHED_BYTES_MAX = 64 * MIB;

/** 1,024 committee members, and full nodes. */
export const CONNECTIONS_MAX = 1_152;
export const FULL_NODES_MAX = 64;
/** Connections with unopened lanes: two crossing dials, and those left by a restart. */
export const OPENINGS_PER_PEER_MAX = 4;
/** Whole clusters run on one host; unknown keys are refused earlier. */
export const CONNECTIONS_PER_ADDRESS_MAX = 256;

/** About 40 kB each. A new one closes the oldest; honest ones finish within milliseconds. */
export const HANDSHAKES_MAX = 256;
export const HANDSHAKES_PER_ADDRESS_MAX = 64;
export const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * A handshake costs its requester 62 bytes and this node 1.5 ms: one address gets 3 % of a thread, all unknown ones 7.5 %. Bursts equal the
 * limits of pending handshakes, for a cluster on one host and for a restarted validator's full nodes. Ten rejected peers of one host are
 * within the rate at half a second of backoff (DIAL_POLICY).
 */
export const ARRIVALS_PER_ADDRESS: Rate = { perSecond: 20, burst: HANDSHAKES_PER_ADDRESS_MAX };
export const UNKNOWN_PEER_ARRIVALS: Rate = { perSecond: 50, burst: HANDSHAKES_MAX };
/** Addresses with a bucket: some 150 bytes each. */
export const ARRIVAL_ADDRESSES_MAX = 4_096;

export const DIAL_TIMEOUT_MS = 5_000;
/** Three round trips open the lanes: 400 ms each and some loss. */
export const OPEN_TIMEOUT_MS = 5_000;
/** Within this time two connections of a pair are simultaneous dials; a later one replaces a dead one. */
export const SIMULTANEOUS_DIAL_MS = 10_000;
/** Before the close, so that a peer of another chain learns the reason. */
export const OTHER_CHAIN_LINGER_MS = 500;

export interface DialPolicy {
  /** The larger key lets the other dial first. */
  readonly firstDialDelayMs: number;
  readonly backoffMinMs: number;
  /** Short: a dial to an unreachable peer costs one packet. */
  readonly backoffMaxMs: number;
}
export const DIAL_POLICY: DialPolicy = { firstDialDelayMs: 200, backoffMinMs: 100, backoffMaxMs: 5_000 };
/** Resets the backoff. */
export const STABLE_MS = 10_000;

export interface PingPolicy {
  readonly intervalMs: number;
  /** Closes after this long without any data. */
  readonly timeoutMs: number;
}
export const PING_POLICY: PingPolicy = { intervalMs: 2_000, timeoutMs: 15_000 };

/** Held by an injected link delay, per lane of a peer; above it reading stops. */
export const DELAYED_BYTES_MAX = 64 * MIB;

/** libp2p's own, half a kilobyte each: several times the possible connections. */
export const PEER_RECORDS_MAX = 4_096;

/** A committee has at most 1,024 members; full nodes can use any key. */
export const BLOCKED_MAX = 4_096;

/** All are counted, but must not fill the log. */
export const REFUSAL_EVENTS_PER_SECOND = 10;
