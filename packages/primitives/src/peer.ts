/** For wire types and ports. */
import type { Brand } from './brand.ts';

/** Ed25519 public key, 64 lower-case hex digits. */
export type PeerKey = Brand<string, 'PeerKey'>;

/** Each has its own stream and queue per peer; earlier ones are sent first. */
export const LANES = ['consensus', 'proposal', 'chunk', 'transaction', 'sync'] as const;
export type Lane = (typeof LANES)[number];
