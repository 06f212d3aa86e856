/**
 * Patch of private members of @chainsafe/libp2p-yamux 8.0.1, which exports neither its muxer class nor its stream class.
 *
 *   muxer._newStream            called for each stream that either side opens
 *   stream.sendWindowUpdate     called after each data frame
 *
 * yamux 8 answers every data frame with a window update, which doubles the writes under load (docs/decisions/0004). The sender needs none
 * while more than half of its window is left, as in hashicorp/yamux (sendWindowUpdate).
 *
 *   data frame --> less than half the window taken? --yes--> nothing
 *                                                \--no---> window update for all of it
 *
 * test/patches.test.ts fails when a member is gone or the version is not pinned.
 */
import type { StreamMuxer } from '@libp2p/interface';
import { assert } from '@slipstream/primitives';

interface StreamMaker<S> {
  _newStream(...parts: readonly unknown[]): S;
}

interface WindowedStream {
  readonly state: number;
  readonly recvWindow: number;
  readonly recvWindowCapacity: number;
  sendWindowUpdate(): void;
}

/** Before this state an update carries the stream's opening; a paused stream sends none. */
export const ESTABLISHED = 3;

/** The same muxer. `act` receives each stream that either side opens from now on, before its bytes. */
export function eachNewStream<S>(muxer: StreamMuxer, act: (stream: S) => void): StreamMuxer {
  const maker = muxer as unknown as StreamMaker<S>;
  assert(typeof maker._newStream === 'function', 'the muxer makes its streams in one place');
  const newStream = maker._newStream.bind(maker);
  maker._newStream = (...parts) => {
    const stream = newStream(...parts);
    act(stream);
    return stream;
  };
  return muxer;
}

/** The same muxer; its new streams update their windows by halves. */
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
