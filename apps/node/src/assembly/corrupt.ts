/**
 * Corrupts votes on a development chain: each carries the signature of the vote before, a valid point over another message, so that others
 * bisect and block.
 */
import type { Transport } from '@slipstream/ports';
import { decodeFrame, encodeFrame, type Vote } from '@slipstream/types';

export function corruptVotes(transport: Transport, isOn: () => boolean): Transport {
  let last: Uint8Array | undefined;

  function corrupt(vote: Vote): Vote {
    const signature = last ?? vote.signature;
    last = vote.signature;
    return { ...vote, signature };
  }

  function tampered(frame: Uint8Array): Uint8Array {
    if (!isOn()) return frame;
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'consensus') return frame;
    const { value } = decoded.value;
    return encodeFrame('consensus', { ...value, votes: value.votes.map(corrupt) });
  }

  return {
    ...transport,
    self: transport.self,
    send: (peer, lane, frame) => transport.send(peer, lane, tampered(frame)),
    broadcast: (lane, frame) => transport.broadcast(lane, tampered(frame)),
  };
}
