/**
 * Negotiations: bounded in answers.
 *
 *   peer: which protocol? --> answer (at most ANSWERS_MAX) --> agreed: Noise, or the protocol of a stream
 *                                 \--one more: the connection ends
 *
 * multistream-select answers any number of requests, at 20 us each, also before the handshake. An honest peer requests an existing
 * protocol.
 */
import type { MessageStream, Stream, StreamMuxer } from '@libp2p/interface';
import { eachNewStream } from './patches/yamux-streams.ts';

/** A handshake takes three writes, a stream two. */
export const ANSWERS_MAX = 8;

/** `end` must end the connection, at the first excess answer. */
export function boundAnswers(stream: Pick<MessageStream, 'send'>, isAgreed: () => boolean, end: () => void): void {
  const send = stream.send.bind(stream);
  let agreed = false;
  let answers = 0;
  stream.send = (data) => {
    agreed ||= isAgreed();
    if (!agreed && ++answers > ANSWERS_MAX) {
      end();
      throw new Error('a peer asks for one protocol after another');
    }
    return send(data);
  };
}

/** The same muxer; bounds streams that the peer opens from now on. */
export function boundStreamAnswers(muxer: StreamMuxer, end: () => void): StreamMuxer {
  return eachNewStream<Stream>(muxer, (stream) => {
    if (stream.direction === 'inbound') boundAnswers(stream, () => stream.protocol !== '', end);
  });
}
