/**
 * Patch of a private member of @chainsafe/libp2p-noise 17.0.0, which does not export its stream class.
 *
 *   connection.decoder.lengthDecoder     called after each record, for the length of the next one
 *
 * Empty records end the connection: noise 17 skips a record without bytes and decrypts one that encrypts none, so neither reaches the
 * muxer's quota. Honest nodes send neither.
 *
 * A RangeError means that no further length has arrived. The patch throws one shared instance, as stack traces are expensive.
 *
 * test/patches.test.ts fails when the member is gone or the version is not pinned.
 */
import type { MessageStream } from '@libp2p/interface';
import { assert } from '@slipstream/primitives';

/** The authentication tag (ChaCha20-Poly1305). */
const TAG_BYTES = 16;

const LENGTH_BYTES = 2;

const INCOMPLETE = new RangeError('the length of the next Noise record has not arrived');

interface EncryptedStream {
  readonly decoder?: { lengthDecoder(arrived: { readonly length: number }): number };
}

/** For records from now on. Noise aborts the connection when the decoder throws. */
export function guardRecords(connection: MessageStream): void {
  const { decoder } = connection as unknown as EncryptedStream;
  assert(typeof decoder?.lengthDecoder === 'function', 'Noise reads the length of each record in one place');
  const lengthOf = decoder.lengthDecoder.bind(decoder);
  decoder.lengthDecoder = (arrived) => {
    if (arrived.length < LENGTH_BYTES) throw INCOMPLETE;
    const length = lengthOf(arrived);
    if (length <= TAG_BYTES) throw new Error('an empty Noise record');
    return length;
  };
}
