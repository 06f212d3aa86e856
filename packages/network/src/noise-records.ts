/**
 * Empty Noise records end the connection.
 *
 * noise 17 skips a record that declares no bytes without a word, and one that encrypts none costs a decryption: neither reaches
 * the muxer, so no quota counts it. Two bytes each, they took a whole thread at 10 MB/s. No writer of ours sends either: a
 * record carries what a stream wrote.
 */
import type { MessageStream } from '@libp2p/interface';
import { assert } from '@slipstream/primitives';

/** The authentication tag (ChaCha20-Poly1305): a record of no more carries nothing. */
const TAG_BYTES = 16;

/** What is used of the stream class that @chainsafe/libp2p-noise 17 does not export. */
interface EncryptedStream {
  readonly decoder?: { lengthDecoder(record: unknown): number };
}

/** From now on, on a connection that Noise encrypts; the connection is aborted by Noise itself. */
export function refuseEmptyRecords(connection: MessageStream): void {
  const { decoder } = connection as unknown as EncryptedStream;
  assert(typeof decoder?.lengthDecoder === 'function', 'Noise reads the length of each record in one place');
  const lengthOf = decoder.lengthDecoder.bind(decoder);
  decoder.lengthDecoder = (record) => {
    const length = lengthOf(record);
    if (length <= TAG_BYTES) throw new Error('an empty Noise record');
    return length;
  };
}
