/** `sync.checkpoint`: the committee of an epoch, from a source that the operator trusts. */
import { fromHex } from '@slipstream/primitives';

interface Checkpoint {
  readonly epoch: number;
  /** SHA-256 of the certified members: weights and BLS keys. */
  readonly committeeHash: Uint8Array;
}

const CHECKPOINT = /^([0-9]{1,10}):(?:0x)?([0-9a-f]{64})$/i;
/** Records count them with 4 bytes. */
const EPOCH_MAX = 2 ** 32 - 1;

/** Undefined for any other text, the empty one too. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [, epoch, hash] = CHECKPOINT.exec(text) ?? [];
  if (epoch === undefined || hash === undefined || Number(epoch) > EPOCH_MAX) return undefined;
  return { epoch: Number(epoch), committeeHash: fromHex(hash) };
}
