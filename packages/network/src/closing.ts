/**
 * Safe calls on a connection that may be closing.
 *
 * libp2p 3 throws on a write to a connection whose lower layers closed first, also during an abort (yamux says goodbye). No data is lost,
 * because a close event follows or has come. But in a timer or event handler the exception would end the process, and a peer can choose the
 * moment.
 */
import type { Connection, Stream } from '@libp2p/interface';

/** False when the stream can no longer be written. */
export function trySend(stream: Stream, bytes: Uint8Array): boolean {
  if (stream.writeStatus !== 'writable') return false;
  try {
    stream.send(bytes);
    return true;
  } catch {
    return false;
  }
}

type Readable = Pick<Stream, 'readStatus' | 'pause' | 'resume'>;

/** False when the stream is paused already or can no longer be read. */
export function tryPause(stream: Readable): boolean {
  if (stream.readStatus !== 'readable') return false;
  try {
    stream.pause();
    return true;
  } catch {
    return false;
  }
}

/** False when the stream can no longer be read. */
export function tryResume(stream: Readable): boolean {
  if (stream.readStatus !== 'paused') return false;
  try {
    stream.resume();
    return true;
  } catch {
    return false;
  }
}

/** Closes at once, with a reset; unsent data is lost. */
export function abortConnection(connection: Connection, reason: string): void {
  if (connection.status !== 'open' && connection.status !== 'closing') return;
  try {
    connection.abort(new Error(reason));
  } catch {
    // Its lower layers were closing already; they end the connection.
  }
}
