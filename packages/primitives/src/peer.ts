/** Names that both the wire types and the ports to the world need: who a peer is, and which lane a frame takes. */
import type { Brand } from './brand.ts';

/** A peer's Ed25519 public key, 64 lower-case hex digits. */
export type PeerKey = Brand<string, 'PeerKey'>;

/** Each lane has a stream and a queue of its own per peer; earlier ones are sent first. */
export const LANES = ['consensus', 'proposal', 'chunk', 'transaction', 'sync'] as const;
export type Lane = (typeof LANES)[number];
