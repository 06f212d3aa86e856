/** Named maxima of the transport, each with its reason. Options can override what an operator may want to change. */
import type { Lane } from '@slipstream/ports';
import type { Rate } from '@slipstream/primitives';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bytes of the length prefix of a frame. */
export const FRAME_PREFIX_BYTES = 4;

/**
 * The wire format of everything in a lane's stream, frames included: part of the protocol id, so that nodes of two versions do not connect
 * instead of taking each other's frames for offences. Raised too when the same blocks give other bytes of state, which is what votes are for.
 * 2: answers to the start-up question have certificates. 3: state in rows. 4: no integer above 2^53 - 1, so some
 * transactions are none any more. 5: heartbeats have the view up to which their sender refuses to vote.
 */
export const PROTOCOL_VERSION = 5;

/**
 * One write to a stream. Small enough that a consensus frame waits for at most one such write of a lower lane before the
 * socket's own buffer (64 KiB), large enough that encryption runs at full speed (64 KiB is one Noise message).
 */
export const WRITE_BYTES_MAX = 64 * KIB - 512;

/**
 * Receive window of a lane: what a peer may send before we read it, what a lane that reads slowly holds here at most, and
 * what can stand in the sockets' buffers in front of a vote: 1 MiB is 84 ms at 100 Mbit/s. It is also 3.5 MB/s for each
 * peer and lane at a round trip of 300 ms, three times a busy chunk lane of ten validators (20 MB/s in all). Both ends must
 * agree: it belongs to PROTOCOL_VERSION.
 */
export const LANE_WINDOW_BYTES = MIB;

export interface QueueLimit {
  readonly bytesMax: number;
  readonly framesMax: number;
}

/** Unsent frames of one peer and lane; above either, the oldest are dropped. Ten seconds of a busy lane, roughly. */
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
  /** A full bucket, in seconds of refill: a burst after silence. */
  readonly burstSeconds: number;
}

/**
 * What is read from one validator and lane; the rest waits in the peer. An order of magnitude above an honest peak: frames leave once
 * a turn and lane, transactions in half a megabyte or each 25 ms. A frame costs some 10 us here, even an empty one, so a lane's burst is
 * 100 ms at most.
 */
export const QUOTAS: Readonly<Record<Lane, Quota>> = {
  consensus: { bytesPerSecond: 8 * MIB, framesPerSecond: 2_000, burstSeconds: 4 },
  proposal: { bytesPerSecond: 16 * MIB, framesPerSecond: 2_000, burstSeconds: 4 },
  chunk: { bytesPerSecond: 128 * MIB, framesPerSecond: 2_000, burstSeconds: 2 },
  transaction: { bytesPerSecond: 32 * MIB, framesPerSecond: 1_000, burstSeconds: 2 },
  sync: { bytesPerSecond: 64 * MIB, framesPerSecond: 5_000, burstSeconds: 2 },
};

/**
 * The same of a full node: it says that it is there and whom it follows, forwards transactions, and asks for what it lacks. Anybody may
 * be one, and an empty frame costs 2 to 10 us here and 9 bytes there. A burst is worked off in one go, and each new connection has one:
 * all of this are 4 ms.
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
 * What is read from one connection whatever lane it is for. A muxer frame costs 0.3 to 2.7 us and a record some 10 us, so a peer that
 * sends nothing else takes a tenth of a thread at most. An honest node writes once a tick and lane, two counts each: some 2,000 a
 * second under load. Each new connection, of strangers too, has a burst, so that is small: a node that stood still reads for some
 * seconds what it finds in its sockets. Bytes: all lanes together, for a stream that is none of them.
 */
export const MUXER_QUOTA: Quota = { bytesPerSecond: 256 * MIB, framesPerSecond: 20_000, burstSeconds: 0.5 };

/** A committee has at most 1,024 members; the rest is for full nodes. */
export const CONNECTIONS_MAX = 1_152;
export const FULL_NODES_MAX = 64;
/** Connections of one peer whose lanes are not open yet: two dials that cross, and what a restart left behind. */
export const OPENINGS_PER_PEER_MAX = 4;
/** Whole clusters run on one host; strangers never get this far, for they are refused by key. */
export const CONNECTIONS_PER_ADDRESS_MAX = 256;

/**
 * Connections whose handshake is not done. The oldest is closed for a new one, so honest peers, who finish within
 * milliseconds, come through a flood of half-open ones. A pending handshake costs about 40 kB.
 */
export const HANDSHAKES_MAX = 256;
export const HANDSHAKES_PER_ADDRESS_MAX = 64;
export const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * Connections that come in. To ask for a handshake takes 62 bytes, to answer it 1.5 ms of the thread: one address has 3 % of it, all
 * strangers together 7.5 %. The bursts are what may be pending: a cluster of one host that starts, and all the full nodes of a
 * validator that starts again. Ten peers of one host whose dials are refused are within the rate when their backoff has grown to half
 * a second (DIAL_POLICY).
 */
export const ARRIVALS_PER_ADDRESS: Rate = { perSecond: 20, burst: HANDSHAKES_PER_ADDRESS_MAX };
export const STRANGER_ARRIVALS: Rate = { perSecond: 50, burst: HANDSHAKES_MAX };
/** Addresses whose arrivals are counted: some 150 bytes each. */
export const ARRIVAL_ADDRESSES_MAX = 4_096;

export const DIAL_TIMEOUT_MS = 5_000;
/** Opening the lanes takes three round trips; with 400 ms each and some loss this is enough. */
export const OPEN_TIMEOUT_MS = 5_000;
/** Two connections of one pair within this time come from simultaneous dials; later ones replace a dead connection. */
export const SIMULTANEOUS_DIAL_MS = 10_000;
/** A peer of another chain learns it from us before we close. */
export const OTHER_CHAIN_LINGER_MS = 500;

export interface DialPolicy {
  /** The peer with the larger key lets the other dial first. */
  readonly courtesyMs: number;
  readonly backoffMinMs: number;
  /** An unreachable peer costs one packet each time, so it can be short; a peer that returns dials us as well. */
  readonly backoffMaxMs: number;
}
export const DIAL_POLICY: DialPolicy = { courtesyMs: 200, backoffMinMs: 100, backoffMaxMs: 5_000 };
/** A connection that lived this long starts the backoff anew. */
export const STABLE_MS = 10_000;

export interface PingPolicy {
  readonly intervalMs: number;
  /** Neither a pong nor anything else for this long: the connection is closed. */
  readonly timeoutMs: number;
}
export const PING_POLICY: PingPolicy = { intervalMs: 2_000, timeoutMs: 15_000 };

/** Frames held by an injected link delay, for each lane of a peer; above, reading stops. */
export const DELAYED_BYTES_MAX = 64 * MIB;

/** Records that libp2p keeps of peers, half a kilobyte each: several times as many as can be connected. */
export const PEER_RECORDS_MAX = 4_096;

/** Blocked peers remembered; a committee has 1,024 members and full nodes come with any key. */
export const BLOCKED_MAX = 4_096;

/** Events about refused peers for each second; all are counted, strangers must not fill the log. */
export const REFUSAL_EVENTS_PER_SECOND = 10;
