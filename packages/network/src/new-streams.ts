/** The streams of a yamux muxer as they are made: @chainsafe/libp2p-yamux 8 exports neither its class nor its streams'. */
import type { StreamMuxer } from '@libp2p/interface';
import { assert } from '@slipstream/primitives';

interface StreamMaker<S> {
  _newStream(...parts: readonly unknown[]): S;
}

/** The same muxer; `act` sees each stream that either end opens from now on, before a byte of it. */
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
