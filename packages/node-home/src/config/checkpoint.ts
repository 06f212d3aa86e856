/** `sync.checkpoint`: who the validators of an epoch were, from a source that the operator trusts. */
import { fromHex } from '@slipstream/primitives';

interface Checkpoint {
  readonly epoch: number;
  /** SHA-256 of the certified members: weights and BLS keys. */
  readonly committeeHash: Uint8Array;
}

export const CHECKPOINT = /^([0-9]{1,10}):(?:0x)?([0-9a-f]{64})$/i;

/** Undefined for an empty text. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [, epoch, hash] = CHECKPOINT.exec(text) ?? [];
  return epoch === undefined || hash === undefined ? undefined : { epoch: Number(epoch), committeeHash: fromHex(hash) };
}
