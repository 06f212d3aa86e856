/** Options of createTransport, and their check. */
import type { Clock, Lane, PeerKey, Random, Telemetry, Transport } from '@slipstream/ports';
import { LANES } from '@slipstream/ports';
import { HASH_BYTES, type Rate } from '@slipstream/primitives';
import { NetworkError } from './errors.ts';
import { peerIdFromKey } from './identity.ts';
import {
  ARRIVALS_PER_ADDRESS,
  CONNECTIONS_MAX,
  CONNECTIONS_PER_ADDRESS_MAX,
  DIAL_POLICY,
  type DialPolicy,
  FULL_NODE_QUOTAS,
  FULL_NODES_MAX,
  HANDSHAKE_TIMEOUT_MS,
  HANDSHAKES_MAX,
  HANDSHAKES_PER_ADDRESS_MAX,
  MUXER_QUOTA,
  PING_POLICY,
  type PingPolicy,
  QUEUE_LIMITS,
  QUOTAS,
  type QueueLimit,
  type Quota,
  STRANGER_ARRIVALS,
} from './limits.ts';

export interface Components {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

export type Role = 'validator' | 'full-node';

export interface PeerAddress {
  readonly peer: PeerKey;
  /** A multiaddr (`/ip4/10.0.0.1/tcp/9000`) or `host:port`. Names are resolved at each dial. */
  readonly address: string;
}

export interface FrameLimit {
  readonly lane: Lane;
  /** The largest frame of the kind, its kind byte included. */
  readonly bytesMax: number;
}

export interface LinkDelay {
  readonly delayMs: number;
  /** Uniform random addition. */
  readonly jitterMs: number;
}

export interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** Zero admits only reserved full nodes, which do not count against the limit. */
  readonly fullNodesMax: number;
  readonly handshakesMax: number;
  readonly handshakesPerAddressMax: number;
  readonly handshakeTimeoutMs: number;
  /** Incoming connections of one address (an IPv6 network of 64 bits counts as one). */
  readonly arrivalsPerAddress: Rate;
  /** Incoming connections of all addresses not known as those of validators, configured peers or reserved full nodes. */
  readonly unknownPeerArrivals: Rate;
}

export interface TransportOptions {
  /** 32 bytes: the Ed25519 seed of this node's network key. */
  readonly seed: Uint8Array;
  /** 32 bytes. Peers of another genesis are refused. */
  readonly genesisHash: Uint8Array;
  /** Multiaddrs or `host:port`; port 0 takes a free one. Empty: this node only dials. */
  readonly listen: readonly string[];
  /** Peers to stay connected to. */
  readonly peers: readonly PeerAddress[];
  /** Role of a key; undefined refuses it right after the handshake proved the key. */
  admit(peer: PeerKey): Role | undefined;
  /** Full nodes with a reserved place: others give way to them when all places are taken. */
  readonly reserved?: readonly PeerKey[];
  /** By kind, the first byte of a frame. Any other kind is an offence. */
  readonly frameLimits: ReadonlyMap<number, FrameLimit>;
  readonly quotas?: Partial<Record<Lane, Quota>>;
  /** Per connection: records and muxer frames of all its streams. */
  readonly muxerQuota?: Quota;
  readonly queues?: Partial<Record<Lane, QueueLimit>>;
  readonly limits?: Partial<ConnectionLimits>;
  readonly dial?: Partial<DialPolicy>;
  readonly ping?: Partial<PingPolicy>;
  /** Development only (`--latency`): delay of everything received from this peer, in order. */
  linkDelayMs?(peer: PeerKey): LinkDelay | undefined;
}

/** Options with defaults applied. */
export interface Settings extends TransportOptions {
  /** By role of the peer. */
  readonly quotasOf: Readonly<Record<Role, Readonly<Record<Lane, Quota>>>>;
  readonly muxerQuota: Quota;
  readonly queues: Readonly<Record<Lane, QueueLimit>>;
  readonly limits: ConnectionLimits;
  readonly dial: DialPolicy;
  readonly ping: PingPolicy;
}

/** The port, and the extras of this implementation. */
export interface NetworkTransport extends Transport {
  /** Replaces the peers to stay connected to; a changed address is used from the next dial on. */
  setPeers(peers: readonly PeerAddress[]): void;
  /** Multiaddrs that this node listens on, each with its peer id. Empty before start. */
  addresses(): readonly string[];
}

const LIMITS: ConnectionLimits = {
  connectionsMax: CONNECTIONS_MAX,
  connectionsPerAddressMax: CONNECTIONS_PER_ADDRESS_MAX,
  fullNodesMax: FULL_NODES_MAX,
  handshakesMax: HANDSHAKES_MAX,
  handshakesPerAddressMax: HANDSHAKES_PER_ADDRESS_MAX,
  handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
  arrivalsPerAddress: ARRIVALS_PER_ADDRESS,
  unknownPeerArrivals: STRANGER_ARRIVALS,
};

/** Throws NetworkError `options-invalid`, or `not-ed25519` for a reserved key that no peer can have. */
export function applyDefaults(options: TransportOptions): Settings {
  const settings: Settings = {
    ...options,
    quotasOf: {
      validator: { ...QUOTAS, ...options.quotas },
      'full-node': { ...FULL_NODE_QUOTAS, ...options.quotas },
    },
    muxerQuota: options.muxerQuota ?? MUXER_QUOTA,
    queues: { ...QUEUE_LIMITS, ...options.queues },
    limits: { ...LIMITS, ...options.limits },
    dial: { ...DIAL_POLICY, ...options.dial },
    ping: { ...PING_POLICY, ...options.ping },
  };
  if (options.genesisHash.length !== HASH_BYTES) throw invalid(`the genesis hash must have ${HASH_BYTES} bytes`);
  for (const peer of options.reserved ?? []) peerIdFromKey(peer);
  for (const [kind, limit] of options.frameLimits) {
    if (!Number.isInteger(kind) || kind < 0 || kind > 255) throw invalid(`a frame's kind is one byte, not ${kind}`);
    if (!LANES.includes(limit.lane)) throw invalid(`frame kind ${kind} names the unknown lane "${limit.lane}"`);
    if (limit.bytesMax < 1) throw invalid(`frame kind ${kind} must allow at least its kind byte`);
    if (limit.bytesMax > settings.queues[limit.lane].bytesMax) {
      throw invalid(`frame kind ${kind} may be larger than the whole queue of the ${limit.lane} lane`);
    }
  }
  return settings;
}

function invalid(message: string): NetworkError {
  return new NetworkError('options-invalid', message);
}
