/**
 * A peer that speaks the real protocol up to the lanes (libp2p, Noise, yamux), then sends what an attack needs. A validator's network key
 * makes it a Byzantine validator, any other key a stranger.
 */
import type { Connection, MessageStream, Stream } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import { identityFromSeed } from '@slipstream/network';
import type { Lane, PeerKey } from '@slipstream/ports';
import type { GenesisHash } from '@slipstream/types';
import { peerIdFromKey } from '../../../packages/network/src/identity.ts';
import { protocolsOf } from '../../../packages/network/src/protocols.ts';
import { openBareLibp2p, openLane } from '../../../packages/network/test/bare-libp2p.ts';

export interface Target {
  /** Network key. */
  readonly peerKey: string;
  readonly networkPort: number;
}

export interface HostilePeerOptions {
  /** Seed of its network key: 32 bytes. */
  readonly seed: Uint8Array;
  readonly genesisHash: GenesisHash;
  readonly target: Target;
  /** Reads the target's frames. Default: false. */
  readonly reads?: boolean;
  /** So that the target does not disconnect it as unresponsive. Default: true. */
  readonly answersPings?: boolean;
}

export interface HostilePeer {
  readonly key: PeerKey;
  readonly connection: Connection;
  /** Decrypted, below the muxer. */
  readonly below: MessageStream;
  readonly open: boolean;
  lane(lane: Lane | 'ping'): Promise<Stream>;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

/** Rejects when the target refuses. */
export async function startHostilePeer(options: HostilePeerOptions): Promise<HostilePeer> {
  const { seed, genesisHash, target, reads = false, answersPings = true } = options;
  const { peer, privateKey } = identityFromSeed(seed);
  const protocols = protocolsOf(genesisHash);
  const { libp2p, below } = await openBareLibp2p(privateKey);
  for (const protocol of protocols.lanes.values()) {
    await libp2p.handle(protocol, (stream) => void (reads ? stream.resume() : stream.pause()));
  }
  await libp2p.handle(protocols.ping, (stream) => {
    if (answersPings) stream.addEventListener('message', ({ data }) => tryTo(() => stream.send(data)));
  });
  const address = multiaddr(`/ip4/${HOST}/tcp/${target.networkPort}/p2p/${peerIdFromKey(target.peerKey as PeerKey)}`);
  const connection = await libp2p.dial(address).catch(async (error: unknown) => {
    await libp2p.stop();
    throw error;
  });
  return {
    key: peer,
    connection,
    get below() {
      return below();
    },
    get open() {
      return connection.status === 'open';
    },
    lane: (lane) => openLane(connection, protocols, lane),
    async stop() {
      await libp2p.stop();
    },
  };
}

/** False when the action throws, because the target may have closed the connection. */
export function tryTo(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
