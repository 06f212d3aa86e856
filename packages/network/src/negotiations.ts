/**
 * Negotiations: bounded in answers.
 *
 *   peer: which protocol? --> answer (at most ANSWERS_MAX) --> agreed: Noise, or the protocol of a stream
 *                                 \--one more: the connection ends
 *
 * multistream-select answers any number of requests, all that have arrived in one go. A request of two bytes costs 20 us, and before the
 * handshake any peer may send them, so a slow stream of requests could block the thread. An honest peer requests an existing protocol.
 */
import type { MessageStream, Stream, StreamMuxer } from '@libp2p/interface';
import { eachNewStream } from './patches/yamux-streams.ts';

/** Writes before both ends agree: a handshake takes three, a stream two. */
export const ANSWERS_MAX = 8;

/** `end` is called at the first excess answer and must end the connection. */
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

/** Returns the same muxer, with bounds on streams that the peer opens from now on. */
export function boundStreamAnswers(muxer: StreamMuxer, end: () => void): StreamMuxer {
  return eachNewStream<Stream>(muxer, (stream) => {
    if (stream.direction === 'inbound') boundAnswers(stream, () => stream.protocol !== '', end);
  });
}
