/**
 * The libp2p node under the transport: TCP, Noise, yamux, without identify, DHT or pubsub.
 *
 * libp2p's own limits are lifted: several would reject an honest cluster on one host. admission.ts, arrivals.ts and handshakes.ts have the
 * limits in use.
 */
import type { ConnectionGater, Libp2p, PrivateKey } from '@libp2p/interface';
import { tcp } from '@libp2p/tcp';
import { createLibp2p } from 'libp2p';
import { parseAddress } from './addresses.ts';
import { silentLogger } from './libp2p-log.ts';
import { DIAL_TIMEOUT_MS, OPEN_TIMEOUT_MS } from './limits.ts';
import { boundedYamux } from './muxer.ts';
import type { MuxerMeterComponents } from './muxer-meter.ts';
import { gatheringNoise } from './noise.ts';
import type { Settings } from './options.ts';

/** A fallback: pings detect a dead peer earlier. */
const TCP_KEEP_ALIVE_MS = 30_000;

export function createNode(
  privateKey: PrivateKey,
  connectionGater: ConnectionGater,
  metering: MuxerMeterComponents,
  settings: Settings,
): Promise<Libp2p> {
  const { limits } = settings;
  const socket = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
  // Above the own limits, which refuse with a reason.
  const connectionsMax = 2 * limits.connectionsMax + limits.handshakesMax;
  return createLibp2p({
    start: false,
    privateKey,
    logger: silentLogger,
    connectionGater,
    addresses: { listen: settings.listen.map((address) => parseAddress(address).toString()) },
    transports: [tcp({ listenOpts: socket, dialOpts: socket, maxConnections: connectionsMax })],
    connectionEncrypters: [gatheringNoise()],
    streamMuxers: [boundedYamux(metering, settings.muxerQuota)],
    connectionMonitor: { enabled: false },
    connectionManager: {
      maxConnections: connectionsMax,
      maxParallelDials: limits.connectionsMax,
      maxDialQueueLength: limits.connectionsMax,
      inboundConnectionThreshold: Number.MAX_SAFE_INTEGER,
      maxIncomingPendingConnections: Number.MAX_SAFE_INTEGER,
      // Longer than the own timeout, which counts the refusal.
      inboundUpgradeTimeout: 2 * limits.handshakeTimeoutMs,
      dialTimeout: DIAL_TIMEOUT_MS,
      addressDialTimeout: DIAL_TIMEOUT_MS,
      inboundStreamProtocolNegotiationTimeout: OPEN_TIMEOUT_MS,
      outboundStreamProtocolNegotiationTimeout: OPEN_TIMEOUT_MS,
      reconnectRetries: 0,
    },
  });
}
