/**
 * Leaders that show half of the members another valid block, also optimistically, as in Zaptos' evaluation: neither gets a quorum, both are
 * executed and appended, and one of them must be undone. The leader votes for its first one.
 */
import type { PeerKey, Signer, Transport } from '@slipstream/ports';
import { blockIdOf, decodeFrame, encodeFrame, proposalMessage } from '@slipstream/types';
import { rivalOf } from '../../../test/simulation/attackers/corrupted.ts';
import type { SimulatedChain } from '../../../test/simulation/harness/committee.ts';

export function twoFaced(transport: Transport, { genesisHash, committee }: SimulatedChain, signer: Signer): Transport {
  const deceived = new Set<PeerKey>(
    committee.members.filter(({ index }) => index % 2 === 1).map(({ peerKey }) => peerKey),
  );

  async function rivalFrame(frame: Uint8Array): Promise<Uint8Array> {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'proposal') return frame;
    const { value } = decoded.value;
    const block = rivalOf(value.block);
    const [signature] = await signer.sign([proposalMessage(genesisHash, block, value.kind, blockIdOf(block))]);
    return encodeFrame('proposal', { ...value, block, signature: signature as Uint8Array });
  }

  function send(peer: PeerKey, lane: Parameters<Transport['send']>[1], frame: Uint8Array): boolean {
    if (lane !== 'proposal' || !deceived.has(peer)) return transport.send(peer, lane, frame);
    void rivalFrame(frame).then((rival) => transport.send(peer, lane, rival));
    return true;
  }

  return {
    ...transport,
    self: transport.self,
    send,
    broadcast(lane, frame) {
      if (lane !== 'proposal') return transport.broadcast(lane, frame);
      for (const { peer } of transport.peers()) send(peer, lane, frame);
    },
  };
}
