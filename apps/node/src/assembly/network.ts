import { createTransport, type NetworkTransport, type PeerAddress } from '@slipstream/network';
import { type Config, parseLinkDelay } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import type { PeerKey } from '@slipstream/ports';
import { FRAME_LIMITS } from '@slipstream/types';
import { NodeError } from '../errors.ts';
import type { NodeWorld } from './node-world.ts';

export function openNetwork(identity: Identity, config: Config, world: NodeWorld): NetworkTransport {
  const { committee, genesisHash, peerSeed } = identity;
  const validators = new Set<string>(committee.members.map(({ peerKey }) => peerKey));
  const reserved = config['network.reserved'] as readonly PeerKey[];
  const delays = new Map(config['network.delays'].map(parseLinkDelay).map((delay) => [delay.peer, delay]));
  const { clock, random, telemetry } = world;
  return createTransport(
    { clock, random, telemetry },
    {
      seed: peerSeed,
      genesisHash,
      listen: [config['network.listen']],
      peers: parsePeers(config['network.peers']),
      admit(peer) {
        if (validators.has(peer)) return 'validator';
        return config['network.fullNodes'] > 0 || reserved.includes(peer) ? 'full-node' : undefined;
      },
      reserved,
      frameLimits: FRAME_LIMITS,
      limits: { fullNodesMax: config['network.fullNodes'] },
      ...(delays.size > 0 ? { linkDelayMs: (peer: PeerKey) => delays.get(peer) } : {}),
    },
  );
}

/** Throws NodeError `config-invalid`. */
function parsePeers(entries: readonly string[]): readonly PeerAddress[] {
  return entries.map((entry) => {
    const match = /^(?:0x)?([0-9a-f]{64})@(.+)$/.exec(entry);
    if (!match) {
      const message = `network.peers: "${entry}" is not <peer key of 64 hexadecimal digits>@<host:port>`;
      throw new NodeError('config-invalid', message, { faults: [message] });
    }
    return { peer: match[1] as PeerKey, address: match[2] as string };
  });
}
