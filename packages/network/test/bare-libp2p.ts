/** libp2p, Noise and yamux as in a node, without our rules: for writing on lanes in tests and attacks. */
import { noise } from '@chainsafe/libp2p-noise';
import { yamux } from '@chainsafe/libp2p-yamux';
import type { Connection, Libp2p, MessageStream, PrivateKey, Stream } from '@libp2p/interface';
import { tcp } from '@libp2p/tcp';
import type { Lane } from '@slipstream/ports';
import { createLibp2p } from 'libp2p';
import { LANE_WINDOW_BYTES } from '../src/limits.ts';
import type { protocolsOf } from '../src/protocols.ts';

export interface BareLibp2p {
  readonly libp2p: Libp2p;
  /** The decrypted connection below the muxer. Throws without one. */
  below(): MessageStream;
}

/** Neither connected nor listening. */
export async function openBareLibp2p(privateKey: PrivateKey): Promise<BareLibp2p> {
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
  return {
    libp2p,
    below() {
      if (below === undefined) throw new Error('no muxer yet');
      return below;
    },
  };
}

export function openLane(
  connection: Connection,
  { lanes, ping }: ReturnType<typeof protocolsOf>,
  lane: Lane | 'ping',
): Promise<Stream> {
  return connection.newStream(lane === 'ping' ? ping : (lanes.get(lane) as string));
}
