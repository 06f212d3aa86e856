/** Peer keys and lanes, which wire types and ports share. */
import type { Brand } from './brand.ts';

/** Ed25519 public key, 64 lower-case hex digits. */
export type PeerKey = Brand<string, 'PeerKey'>;

/** Each lane has its own stream and queue per peer; earlier ones are sent first. */
export const LANES = ['consensus', 'proposal', 'chunk', 'transaction', 'sync'] as const;
export type Lane = (typeof LANES)[number];
