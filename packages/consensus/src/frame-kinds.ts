/** Frames by their kind alone: who takes them, and whose are not worth decoding. */
import type { FrameName } from '@slipstream/types';

/** Kinds that dissemination takes. */
export type ForeignFrame = 'chunk' | 'chunkAck' | 'chunkCertified' | 'transactions';

export function isForeign(name: FrameName | undefined): name is ForeignFrame {
  return name === 'chunk' || name === 'chunkAck' || name === 'chunkCertified' || name === 'transactions';
}

/**
 * Kinds in which nobody goes by the word of others than members. Full nodes send heartbeats too; and whoever has a key may send the rest:
 * sixty certificates of a thousand signers each are 38 kB, and decoding them takes milliseconds of the main thread.
 */
export function isOfMembers(name: FrameName | undefined): boolean {
  return (
    name === 'consensus' ||
    name === 'proposal' ||
    name === 'heartbeat' ||
    name === 'startupAsk' ||
    name === 'startupAnswer'
  );
}
