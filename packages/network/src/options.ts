import type { Clock, Lane, PeerKey, Random, Telemetry, Transport } from '@slipstream/ports';
import { LANES } from '@slipstream/ports';
import { HASH_BYTES, type Rate } from '@slipstream/primitives';
import { NetworkError } from './errors.ts';
import { peerIdFromKey } from './identity.ts';
import type { Traffic } from './lane-traffic.ts';
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
  UNFINISHED_BYTES_MAX,
  UNKNOWN_PEER_ARRIVALS,
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
  /** Kind byte included. */
  readonly bytesMax: number;
}

export interface LinkDelay {
  readonly delayMs: number;
  readonly jitterMs: number;
}

export interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** Reserved full nodes do not count. */
  readonly fullNodesMax: number;
  readonly handshakesMax: number;
  readonly handshakesPerAddressMax: number;
  readonly handshakeTimeoutMs: number;
  /** An IPv6 network of 64 bits counts as one address. */
  readonly arrivalsPerAddress: Rate;
  /** From all addresses not known as those of validators, configured peers or reserved full nodes. */
  readonly unknownPeerArrivals: Rate;
  /** Of begun frames of all full nodes. */
  readonly unfinishedBytesMax: number;
}

export interface TransportOptions {
  /** 32 bytes: this node's Ed25519 network seed. */
  readonly seed: Uint8Array;
  /** 32 bytes. Peers of another genesis are refused. */
  readonly genesisHash: Uint8Array;
  /** Multiaddrs or `host:port`; port 0 takes a free one. Empty: this node only dials. */
  readonly listen: readonly string[];
  readonly peers: readonly PeerAddress[];
  /** Undefined refuses the key right after the handshake. After an answer changed: `rolesChanged`. */
  admit(peer: PeerKey): Role | undefined;
  /** Full nodes to which others give way when all places are taken. */
  readonly reserved?: readonly PeerKey[];
  /** By a frame's first byte. Any other kind is an offence. */
  readonly frameLimits: ReadonlyMap<number, FrameLimit>;
  readonly quotas?: Partial<Record<Lane, Quota>>;
  /** Records and muxer frames of all streams of a connection. */
  readonly muxerQuota?: Quota;
  readonly queues?: Partial<Record<Lane, QueueLimit>>;
  readonly limits?: Partial<ConnectionLimits>;
  readonly dial?: Partial<DialPolicy>;
  readonly ping?: Partial<PingPolicy>;
  /** Development only (`--latency`): delays all data from this peer, in order. */
  linkDelayMs?(peer: PeerKey): LinkDelay | undefined;
}

export interface Settings extends TransportOptions {
  readonly quotasOf: Readonly<Record<Role, Readonly<Record<Lane, Quota>>>>;
  readonly muxerQuota: Quota;
  readonly queues: Readonly<Record<Lane, QueueLimit>>;
  readonly limits: ConnectionLimits;
  readonly dial: DialPolicy;
  readonly ping: PingPolicy;
}

export interface NetworkTransport extends Transport {
  /** Replaces the peers to stay connected to; a changed address holds from the next dial. */
  setPeers(peers: readonly PeerAddress[]): void;
  /** Connections whose peers `admit` judges otherwise now are closed; their peers connect again, as far as they are admitted. */
  rolesChanged(): void;
  /** Multiaddrs listened on, with peer id. Empty before start. */
  addresses(): readonly string[];
  /** With all peers, since the start. */
  traffic(): Traffic;
}

const LIMITS: ConnectionLimits = {
  connectionsMax: CONNECTIONS_MAX,
  connectionsPerAddressMax: CONNECTIONS_PER_ADDRESS_MAX,
  fullNodesMax: FULL_NODES_MAX,
  handshakesMax: HANDSHAKES_MAX,
  handshakesPerAddressMax: HANDSHAKES_PER_ADDRESS_MAX,
  handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
  arrivalsPerAddress: ARRIVALS_PER_ADDRESS,
  unknownPeerArrivals: UNKNOWN_PEER_ARRIVALS,
  unfinishedBytesMax: UNFINISHED_BYTES_MAX,
};

/** Throws NetworkError `options-invalid`, or `not-ed25519` for an impossible reserved key. */
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
