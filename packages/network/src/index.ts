export { compress, type DecompressLimits, decompress } from './compression.ts';
export { NetworkError } from './errors.ts';
export { identityFromSeed } from './identity.ts';
export { DIAL_POLICY, type DialPolicy, PING_POLICY, type PingPolicy, type QueueLimit, type Quota } from './limits.ts';
export type {
  Components,
  ConnectionLimits,
  FrameLimit,
  LinkDelay,
  NetworkTransport,
  PeerAddress,
  Role,
  TransportOptions,
} from './options.ts';
export { createTransport } from './transport.ts';
