/** Named maxima of the transport, with reasons. Options override what an operator may change. */
import type { Lane } from '@slipstream/ports';
import type { Rate } from '@slipstream/primitives';

const KIB = 1024;
const MIB = 1024 * KIB;

export const FRAME_PREFIX_BYTES = 4;

/**
 * The wire format of everything in a lane's stream, frames included: part of the protocol id, so that nodes of two versions do not connect
 * instead of taking each other's frames for offences. Raised too when the same blocks give other bytes of state, which is what votes are for.
 * 2: answers to the signing-history query have certificates. 3: state in rows. 4: no integer above 2^53 - 1, so some
 * transactions are none any more. 5: heartbeats have the view up to which their sender refuses to vote.
 */
export const PROTOCOL_VERSION = 5;

/**
 * One write to a stream. Small enough that a consensus frame waits for at most one write of a lower lane before the socket's buffer
 * (64 KiB); large enough for full encryption speed (64 KiB is one Noise message).
 */
export const WRITE_BYTES_MAX = 64 * KIB - 512;

/**
 * Receive window of a lane: the unread bytes that a peer may send, the memory of a slowly read lane, and the data that may precede a vote
 * in the sockets' buffers (84 ms at 100 Mbit/s). At a round trip of 300 ms it allows 3.5 MB/s per peer and lane, three times a busy chunk
 * lane of ten validators (20 MB/s in all). Both ends must agree, so it belongs to PROTOCOL_VERSION.
 */
export const LANE_WINDOW_BYTES = MIB;

export interface QueueLimit {
  readonly bytesMax: number;
  readonly framesMax: number;
}

/** Unsent frames of one peer and lane; above a limit the oldest are dropped. About ten seconds of a busy lane. */
export const QUEUE_LIMITS: Readonly<Record<Lane, QueueLimit>> = {
  consensus: { bytesMax: 8 * MIB, framesMax: 16_384 },
  proposal: { bytesMax: 16 * MIB, framesMax: 1_024 },
  chunk: { bytesMax: 64 * MIB, framesMax: 4_096 },
  transaction: { bytesMax: 16 * MIB, framesMax: 16_384 },
  sync: { bytesMax: 32 * MIB, framesMax: 1_024 },
};

export interface Quota {
  /** Refilled each second. */
  readonly bytesPerSecond: number;
  readonly framesPerSecond: number;
  /** Full bucket, in seconds of refill. */
  readonly burstSeconds: number;
}

/**
 * Read quota of one validator and lane; the rest waits at the peer. Ten times an honest peak: frames leave once per tick and lane,
 * transactions in half a megabyte or each 25 ms. A frame costs some 10 us here, even an empty one, so a lane's burst is 100 ms at most.
 */
export const QUOTAS: Readonly<Record<Lane, Quota>> = {
  consensus: { bytesPerSecond: 8 * MIB, framesPerSecond: 2_000, burstSeconds: 4 },
  proposal: { bytesPerSecond: 16 * MIB, framesPerSecond: 2_000, burstSeconds: 4 },
  chunk: { bytesPerSecond: 128 * MIB, framesPerSecond: 2_000, burstSeconds: 2 },
  transaction: { bytesPerSecond: 32 * MIB, framesPerSecond: 1_000, burstSeconds: 2 },
  sync: { bytesPerSecond: 64 * MIB, framesPerSecond: 5_000, burstSeconds: 2 },
};

/**
 * Read quota of a full node, which sends heartbeats, subscriptions, transactions and sync requests. Any key may be a full node, and an
 * empty frame costs 2 to 10 us here and 9 bytes there. Each new connection has a burst, processed in one go: 4 ms in all.
 */
const LITTLE: Quota = { bytesPerSecond: MIB, framesPerSecond: 500, burstSeconds: 0.2 };
export const FULL_NODE_QUOTAS: Readonly<Record<Lane, Quota>> = {
  consensus: LITTLE,
  proposal: LITTLE,
  chunk: LITTLE,
  transaction: { bytesPerSecond: 8 * MIB, framesPerSecond: 500, burstSeconds: 0.5 },
  sync: { bytesPerSecond: 64 * MIB, framesPerSecond: 2_000, burstSeconds: 0.25 },
};

/**
 * Read quota of one connection over all lanes. A muxer frame costs 0.3 to 2.7 us and a record some 10 us, so a peer uses at most a tenth of
 * a thread. An honest node sends one write per tick and lane, two counts each: some 2,000 per second under load. The burst is small,
 * because each new connection has one, also of unknown keys; a node that paused then reads its sockets over some seconds. Bytes: the sum of
 * all lanes, for a stream that belongs to none.
 */
export const MUXER_QUOTA: Quota = { bytesPerSecond: 256 * MIB, framesPerSecond: 20_000, burstSeconds: 0.5 };

/** A committee has at most 1,024 members; the rest is for full nodes. */
export const CONNECTIONS_MAX = 1_152;
export const FULL_NODES_MAX = 64;
/** Connections of one peer whose lanes are not open yet: two crossing dials, and those left by a restart. */
export const OPENINGS_PER_PEER_MAX = 4;
/** Whole clusters run on one host; unknown keys are refused earlier. */
export const CONNECTIONS_PER_ADDRESS_MAX = 256;

/**
 * Pending handshakes. A new one closes the oldest, so honest peers, which finish within milliseconds, get through a flood of half-open
 * ones. A pending handshake costs about 40 kB.
 */
export const HANDSHAKES_MAX = 256;
export const HANDSHAKES_PER_ADDRESS_MAX = 64;
export const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * Incoming connections. A request for a handshake costs its sender 62 bytes and this node 1.5 ms: one address gets 3 % of a thread, all
 * unknown addresses together 7.5 %. The bursts equal the limits of pending handshakes, for a cluster that starts on one host and for the
 * full nodes of a restarted validator. Ten refused peers of one host are within the rate once their backoff is half a second (DIAL_POLICY).
 */
export const ARRIVALS_PER_ADDRESS: Rate = { perSecond: 20, burst: HANDSHAKES_PER_ADDRESS_MAX };
export const STRANGER_ARRIVALS: Rate = { perSecond: 50, burst: HANDSHAKES_MAX };
/** Addresses with a bucket: some 150 bytes each. */
export const ARRIVAL_ADDRESSES_MAX = 4_096;

export const DIAL_TIMEOUT_MS = 5_000;
/** Opening the lanes takes three round trips; this suffices for 400 ms each and some loss. */
export const OPEN_TIMEOUT_MS = 5_000;
/** Two connections of one pair within this time come from simultaneous dials; a later one replaces a dead connection. */
export const SIMULTANEOUS_DIAL_MS = 10_000;
/** Delay before the close, so that a peer of another chain learns the reason. */
export const OTHER_CHAIN_LINGER_MS = 500;

export interface DialPolicy {
  /** The peer with the larger key lets the other dial first. */
  readonly courtesyMs: number;
  readonly backoffMinMs: number;
  /** May be short, since a dial to an unreachable peer costs one packet; a peer that returns dials as well. */
  readonly backoffMaxMs: number;
}
export const DIAL_POLICY: DialPolicy = { courtesyMs: 200, backoffMinMs: 100, backoffMaxMs: 5_000 };
/** A connection that lived this long resets the backoff. */
export const STABLE_MS = 10_000;

export interface PingPolicy {
  readonly intervalMs: number;
  /** Without any data for this long, the connection is closed. */
  readonly timeoutMs: number;
}
export const PING_POLICY: PingPolicy = { intervalMs: 2_000, timeoutMs: 15_000 };

/** Frames held by an injected link delay, per lane of a peer; above it reading stops. */
export const DELAYED_BYTES_MAX = 64 * MIB;

/** libp2p's records of peers, half a kilobyte each: several times the possible connections. */
export const PEER_RECORDS_MAX = 4_096;

/** Stored blocked peers: a committee has 1,024 members, and full nodes can use any key. */
export const BLOCKED_MAX = 4_096;

/** Events about refused peers per second; all are counted, but must not fill the log. */
export const REFUSAL_EVENTS_PER_SECOND = 10;
