import { createTransport, type NetworkTransport, type PeerAddress } from '@slipstream/network';
import { type Config, parseLinkDelay } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import type { PeerKey } from '@slipstream/ports';
import { FRAME_LIMITS } from '@slipstream/types';
import { dialledPeers } from '../epochs/dialled-peers.ts';
import type { NodeEpochs } from '../epochs/node-epochs.ts';
import { withRenamedPeers } from '../epochs/renamed-peers.ts';
import { NodeError } from '../errors.ts';
import type { NodeWorld } from './node-world.ts';

/** Members of the epoch before keep their places for so long, to fetch what made their last block final. */
const LEAVERS_STAY_MS = 60_000;

export function openNetwork(
  identity: Identity,
  config: Config,
  world: Pick<NodeWorld, 'clock' | 'random' | 'telemetry'>,
  epochs: NodeEpochs,
): NetworkTransport {
  const { genesis, genesisHash, peerSeed, peer: self } = identity;
  const reserved = config['network.reserved'] as readonly PeerKey[];
  const delays = new Map(config['network.delays'].map(parseLinkDelay).map((delay) => [delay.peer, delay]));
  const configured = parsePeers(config['network.peers']);
  const { clock, random, telemetry } = world;
  const peers = () => {
    const next = epochs.next();
    const records = [epochs.record(), ...(next ? [next] : [])];
    const isValidator = records.some(({ members }) => members.some(({ peerKey }) => peerKey === self));
    return dialledPeers({ configured, genesis, records, self, isValidator });
  };
  const transport = createTransport(
    { clock, random, telemetry },
    {
      seed: peerSeed,
      genesisHash,
      listen: [config['network.listen']],
      peers: peers(),
      admit(peer) {
        if (epochs.isAdmitted(peer)) return 'validator';
        return config['network.fullNodes'] > 0 || reserved.includes(peer) ? 'full-node' : undefined;
      },
      reserved,
      frameLimits: FRAME_LIMITS,
      limits: { fullNodesMax: config['network.fullNodes'] },
      ...(delays.size > 0 ? { linkDelayMs: (peer: PeerKey) => delays.get(peer) } : {}),
    },
  );
  let cancelLeaving = () => {};
  let isStopped = false;
  epochs.onChanged((change) => {
    if (isStopped) return;
    transport.setPeers(peers());
    transport.rolesChanged();
    if (change !== 'moved') return;
    cancelLeaving();
    cancelLeaving = clock.after(LEAVERS_STAY_MS, () => epochs.leaversGone());
  });
  return withRenamedPeers(
    {
      ...transport,
      stop() {
        isStopped = true;
        cancelLeaving();
        return transport.stop();
      },
    },
    epochs,
  );
}

/** Throws NodeError `config-invalid`. */
export function parsePeers(entries: readonly string[]): readonly PeerAddress[] {
  return entries.map((entry) => {
    const match = /^(?:0x)?([0-9a-f]{64})@(.+)$/.exec(entry);
    if (!match) {
      const message = `network.peers: "${entry}" is not <peer key of 64 hexadecimal digits>@<host:port>`;
      throw new NodeError('config-invalid', message, { faults: [message] });
    }
    return { peer: match[1] as PeerKey, address: match[2] as string };
  });
}
