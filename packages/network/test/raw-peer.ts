/** A peer with libp2p alone, without the rules of this network. */
import type { Connection, Libp2p, MessageStream, Stream } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import type { Lane, PeerKey } from '@slipstream/ports';
import { identityFromSeed, peerIdFromKey } from '../src/identity.ts';
import { protocolsOf } from '../src/protocols.ts';
import { openBareLibp2p, openLane } from './bare-libp2p.ts';
import { genesisHash, type Node, seedOf } from './cluster.ts';

export interface RawPeer {
  readonly key: PeerKey;
  readonly connection: Connection;
  /** The decrypted connection below the muxer. */
  readonly below: MessageStream;
  open(lane: Lane | 'ping'): Promise<Stream>;
  /** Streams of the node by lane, unread. */
  readonly incoming: ReadonlyMap<string, Stream>;
}

const running = new Set<Libp2p>();

export async function startRawPeer(index: number, target: Node): Promise<RawPeer> {
  const { peer, privateKey } = identityFromSeed(seedOf(index));
  const protocols = protocolsOf(genesisHash);
  const incoming = new Map<string, Stream>();
  const { libp2p, below } = await openBareLibp2p(privateKey);
  running.add(libp2p);
  for (const [lane, protocol] of [...protocols.lanes, ['ping', protocols.ping] as const]) {
    await libp2p.handle(protocol, (stream) => {
      incoming.set(lane, stream);
      stream.pause();
    });
  }
  const connection = await libp2p.dial(multiaddr(target.address).encapsulate(`/p2p/${peerIdFromKey(target.key)}`));
  return {
    key: peer,
    connection,
    incoming,
    get below() {
      return below();
    },
    open: (lane) => openLane(connection, protocols, lane),
  };
}

export async function stopRawPeers(): Promise<void> {
  await Promise.all([...running].map((libp2p) => libp2p.stop()));
  running.clear();
}
