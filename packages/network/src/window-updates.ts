/**
 * Window updates when they matter: half a window at a time.
 *
 * yamux 8 answers every data frame with a window update, each an encrypted write of its own. Between validators under load these
 * were more than half of all writes to sockets, and those a sixth of the main thread (docs/decisions/0004). The sender needs no
 * update while more than half of its window is left, so none is sent before that: as the yamux specification's own
 * implementation does (hashicorp/yamux, sendWindowUpdate).
 *
 *   data frame --> less than half the window taken? --yes--> nothing
 *                                                \--no---> window update for all of it
 */
import type { StreamMuxer } from '@libp2p/interface';
import { assert } from '@slipstream/primitives';
import { eachNewStream } from './new-streams.ts';

/** What is used of the stream class that @chainsafe/libp2p-yamux 8 does not export. */
interface WindowedStream {
  readonly state: number;
  readonly recvWindow: number;
  readonly recvWindowCapacity: number;
  sendWindowUpdate(): void;
}

/** Before, an update carries the stream's opening; when it is paused, none is sent. */
const ESTABLISHED = 3;

/** The same muxer, whose streams from now on update their windows by halves. */
export function spareWindowUpdates(muxer: StreamMuxer): StreamMuxer {
  return eachNewStream<WindowedStream>(muxer, (stream) => {
    assert(typeof stream.sendWindowUpdate === 'function', 'a stream sends its own window updates');
    const send = stream.sendWindowUpdate.bind(stream);
    stream.sendWindowUpdate = () => {
      const taken = stream.recvWindow - stream.recvWindowCapacity;
      if (stream.state !== ESTABLISHED || 2 * taken >= stream.recvWindow) send();
    };
  });
}
