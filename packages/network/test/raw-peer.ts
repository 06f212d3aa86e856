/** A peer that speaks libp2p but not our rules: it writes whatever a test wants onto the lanes. */
import { noise } from '@chainsafe/libp2p-noise';
import { yamux } from '@chainsafe/libp2p-yamux';
import type { Connection, Libp2p, MessageStream, Stream } from '@libp2p/interface';
import { tcp } from '@libp2p/tcp';
import { multiaddr } from '@multiformats/multiaddr';
import type { Lane, PeerKey } from '@slipstream/ports';
import { createLibp2p } from 'libp2p';
import { identityFromSeed, peerIdFromKey } from '../src/identity.ts';
import { LANE_WINDOW_BYTES } from '../src/limits.ts';
import { protocolsOf } from '../src/protocols.ts';
import { genesisHash, type Node, seedOf } from './cluster.ts';

export interface RawPeer {
  readonly key: PeerKey;
  readonly connection: Connection;
  /** The decrypted connection below the muxer. */
  readonly below: MessageStream;
  open(lane: Lane | 'ping'): Promise<Stream>;
  /** Streams the node opened, by lane: nobody reads them. */
  readonly incoming: ReadonlyMap<string, Stream>;
}

const running = new Set<Libp2p>();

export async function startRawPeer(index: number, target: Node): Promise<RawPeer> {
  const { peer, privateKey } = identityFromSeed(seedOf(index));
  const protocols = protocolsOf(genesisHash);
  const incoming = new Map<string, Stream>();
  let below: MessageStream | undefined;
  const createMuxer = yamux({
    enableKeepAlive: false,
    streamOptions: { initialStreamWindowSize: LANE_WINDOW_BYTES, maxStreamWindowSize: LANE_WINDOW_BYTES },
  });
  const libp2p = await createLibp2p({
    privateKey,
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [
      () => {
        const factory = createMuxer();
        return {
          protocol: factory.protocol,
          createStreamMuxer(stream) {
            below = stream;
            return factory.createStreamMuxer(stream);
          },
        };
      },
    ],
    connectionMonitor: { enabled: false },
  });
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
      if (below === undefined) throw new Error('no muxer yet');
      return below;
    },
    open: (lane) => connection.newStream((lane === 'ping' ? protocols.ping : protocols.lanes.get(lane)) as string),
  };
}

export async function stopRawPeers(): Promise<void> {
  await Promise.all([...running].map((libp2p) => libp2p.stop()));
  running.clear();
}
