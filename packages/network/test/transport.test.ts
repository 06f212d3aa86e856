import { setTimeout as sleep } from 'node:timers/promises';

import type { Transport } from '@slipstream/ports';
import { concatBytes } from '@slipstream/primitives';
import { describeTransport } from '../../ports/test/transport-suite.ts';
import { createTransport, type NetworkTransport, type PeerAddress } from '../src/index.ts';
import { createRecorder, frameLimits, genesisHash, KIND, realClock, realRandom, seedOf, until } from './cluster.ts';

/** Several dials of a blocked peer. */
const SETTLE_MS = 300;

/** Adds and removes a kind byte, which the suite's frames lack. */
function withKinds(transport: NetworkTransport, started: () => void): Transport {
  return {
    ...transport,
    send: (peer, lane, frame) => transport.send(peer, lane, concatBytes(new Uint8Array([KIND[lane]]), frame)),
    broadcast: (lane, frame) => transport.broadcast(lane, concatBytes(new Uint8Array([KIND[lane]]), frame)),
    onFrame: (handler) => transport.onFrame((from, lane, frame) => handler(from, lane, frame.subarray(1))),
    async start() {
      await transport.start();
      started();
    },
  };
}

describeTransport('libp2p', async () => {
  const transports = [0, 1].map((index) =>
    createTransport(
      { clock: realClock, random: realRandom, telemetry: createRecorder() },
      { seed: seedOf(index), genesisHash, listen: ['127.0.0.1:0'], peers: [], admit: () => 'validator', frameLimits },
    ),
  ) as [NetworkTransport, NetworkTransport];

  /** Ports are known once both listen. */
  function introduce(): void {
    const peers: PeerAddress[] = [];
    for (const transport of transports) {
      const address = transport.addresses()[0]?.split('/p2p/')[0];
      if (address === undefined) return;
      peers.push({ peer: transport.self, address });
    }
    for (const transport of transports) transport.setPeers(peers);
  }

  const [a, b] = transports;
  return {
    a: withKinds(a, introduce),
    b: withKinds(b, introduce),
    until,
    settle: () => sleep(SETTLE_MS),
    stop: async () => {
      await Promise.all([a.stop(), b.stop()]);
    },
  };
});
