/**
 * Safe calls on a connection that may be closing. libp2p 3 throws on a write when lower layers closed first, also during an abort; in a
 * timer or event handler that would end the process, at a moment that a peer chooses. A close event reports the end.
 */
import type { Connection, Stream } from '@libp2p/interface';

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

/** False: paused already, or no longer readable. */
export function tryPause(stream: Readable): boolean {
  if (stream.readStatus !== 'readable') return false;
  try {
    stream.pause();
    return true;
  } catch {
    return false;
  }
}

export function tryResume(stream: Readable): boolean {
  if (stream.readStatus !== 'paused') return false;
  try {
    stream.resume();
    return true;
  } catch {
    return false;
  }
}

/** A reset; unsent data is lost. */
export function abortConnection(connection: Connection, reason: string): void {
  if (connection.status !== 'open' && connection.status !== 'closing') return;
  try {
    connection.abort(new Error(reason));
  } catch {}
}
