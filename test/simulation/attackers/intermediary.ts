/** A validator's real code on a wire that the attacker reads, cuts and writes on. */
import type { PeerKey, Transport } from '@slipstream/ports';
import { decodeFrame, type Frame } from '@slipstream/types';
import type { NodeCode } from '../harness/cluster.ts';
import { startValidator } from '../harness/validator.ts';
import { createLiar, type Liar } from './corrupted.ts';

export interface Intermediary {
  passes(to: number, frame: Frame): boolean;
  /** Before the validator receives the frame. */
  onFrame?(frame: Frame): void;
}

export function intermediary(make: (liar: Liar) => Intermediary): NodeCode {
  return (world, setting) => {
    const { transport } = world;
    const liar = createLiar(world, setting);
    const { passes, onFrame } = make(liar);
    const memberOf = (peer: PeerKey) =>
      setting.chain.committee.members.find(({ peerKey }) => peerKey === peer)?.index ?? -1;

    function send(to: PeerKey, lane: Parameters<Transport['send']>[1], bytes: Uint8Array): boolean {
      liar.see(bytes);
      const decoded = decodeFrame(bytes);
      return decoded.ok && !passes(memberOf(to), decoded.value) ? true : transport.send(to, lane, bytes);
    }

    const wire: Transport = {
      ...transport,
      self: transport.self,
      send,
      broadcast(lane, bytes) {
        for (const { peer, connected } of transport.peers()) if (connected) send(peer, lane, bytes);
      },
      onFrame(handler) {
        transport.onFrame((from, lane, bytes) => {
          liar.see(bytes);
          const decoded = decodeFrame(bytes);
          if (decoded.ok) onFrame?.(decoded.value);
          handler(from, lane, bytes);
        });
      },
    };
    return startValidator({ ...world, transport: wire }, setting);
  };
}
