/**
 * Negotiations: bounded in answers.
 *
 *   peer: which protocol? --> answer (at most ANSWERS_MAX) --> agreed: Noise, or the protocol of a stream
 *                                 \--one more: the connection ends
 *
 * multistream-select answers whatever it is asked as long as it is asked, and all that has arrived in one go. A question of two
 * bytes costs 20 us, and before the handshake anybody may ask: 160 kB a second of them stopped a thread for seconds. An honest peer asks
 * for what there is.
 */
import type { MessageStream, Stream, StreamMuxer } from '@libp2p/interface';
import { eachNewStream } from './patches/yamux-streams.ts';

/** Writes before both ends agree: a handshake takes three, a stream two. */
export const ANSWERS_MAX = 8;

/** From now on. `end` is called when it is asked too often; it ends the connection. */
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

/** The same muxer; streams that the peer opens from now on are bounded. */
export function boundStreamAnswers(muxer: StreamMuxer, end: () => void): StreamMuxer {
  return eachNewStream<Stream>(muxer, (stream) => {
    if (stream.direction === 'inbound') boundAnswers(stream, () => stream.protocol !== '', end);
  });
}
