/** Peer keys and lanes, used by both the wire types and the ports. */
import type { Brand } from './brand.ts';

/** A peer's Ed25519 public key, 64 lower-case hex digits. */
export type PeerKey = Brand<string, 'PeerKey'>;

/** Each lane has its own stream and queue per peer; earlier lanes are sent first. */
export const LANES = ['consensus', 'proposal', 'chunk', 'transaction', 'sync'] as const;
export type Lane = (typeof LANES)[number];
