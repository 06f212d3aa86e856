/**
 * Using a connection that may be closing under us.
 *
 * libp2p 3 throws when something is written to a connection whose lower layers closed first, from within the abort of the
 * connection as well (yamux says goodbye). Nothing is lost by it: a close event follows or came already. But the call may
 * come from a timer or an event, where an exception ends the process, and a peer can choose the moment.
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

/** Closes at once, with a reset; what was written and has not left is lost. */
export function abortConnection(connection: Connection, reason: string): void {
  if (connection.status !== 'open' && connection.status !== 'closing') return;
  try {
    connection.abort(new Error(reason));
  } catch {
    // Its lower layers were closing: they end the connection.
  }
}
