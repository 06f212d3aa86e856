/**
 * Leaders that show a third of the network another valid block, also optimistically: it is executed there and must be undone. The leader
 * votes for the block that the others see.
 */
import type { Signer, Transport } from '@slipstream/ports';
import { blockIdOf, decodeFrame, encodeFrame, proposalMessage } from '@slipstream/types';
import { rivalOf } from '../../../test/simulation/attackers/corrupted.ts';
import type { SimulatedChain } from '../../../test/simulation/harness/committee.ts';

/** One member in so many sees the rival. */
const SEES_RIVAL = 3;

export function twoFaced(transport: Transport, { genesisHash, committee }: SimulatedChain, signer: Signer): Transport {
  const deceived = new Set<string>(
    committee.members.filter(({ index }) => index % SEES_RIVAL === 1).map(({ peerKey }) => peerKey),
  );

  async function rivalFrame(frame: Uint8Array): Promise<Uint8Array> {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'proposal') return frame;
    const { value } = decoded.value;
    const block = rivalOf(value.block);
    const [signature] = await signer.sign([proposalMessage(genesisHash, block.view, value.kind, blockIdOf(block))]);
    return encodeFrame('proposal', { ...value, block, signature: signature as Uint8Array });
  }

  return {
    ...transport,
    self: transport.self,
    broadcast(lane, frame) {
      if (lane !== 'proposal') return transport.broadcast(lane, frame);
      const rival = rivalFrame(frame);
      for (const { peer } of transport.peers()) {
        if (!deceived.has(peer)) transport.send(peer, lane, frame);
        else void rival.then((other) => transport.send(peer, lane, other));
      }
    },
  };
}
