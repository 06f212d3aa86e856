/**
 * Noise records: empty ones end the connection, and the end of what has arrived costs no stack trace.
 *
 * noise 17 skips a record that declares no bytes without a word, and one that encrypts none costs a decryption: neither reaches
 * the muxer, so no quota counts it. Two bytes each, they took a whole thread at 10 MB/s. No writer of ours sends either: a
 * record carries what a stream wrote.
 *
 * The library looks for the next length after every record, and learns by a RangeError that none has arrived: made anew each
 * time, its stack was 3 percent of a validator's main thread.
 */
import type { MessageStream } from '@libp2p/interface';
import { assert } from '@slipstream/primitives';

/** The authentication tag (ChaCha20-Poly1305): a record of no more carries nothing. */
const TAG_BYTES = 16;

const LENGTH_BYTES = 2;

/** Nobody sees it, so it is made once. */
const INCOMPLETE = new RangeError('the length of the next Noise record has not arrived');

/** What is used of the stream class that @chainsafe/libp2p-noise 17 does not export. */
interface EncryptedStream {
  readonly decoder?: { lengthDecoder(arrived: { readonly length: number }): number };
}

/** From now on, on a connection that Noise encrypts; the connection is aborted by Noise itself. */
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
