import type { Lane, PeerEvent, PeerKey } from '@slipstream/ports';
import { createSimNetwork, createSimulation, type SimNetworkOptions, type SimTransport } from '../src/index.ts';

export function peerKey(index: number): PeerKey {
  return index.toString(16).padStart(64, '0') as PeerKey;
}

export interface Received {
  readonly from: PeerKey;
  readonly lane: Lane;
  readonly frame: Uint8Array;
  readonly atMs: number;
}

/** Started, connected peers that record received frames. */
export async function connectedPeers(count: number, options: SimNetworkOptions = {}, seed: string | number = 1) {
  const simulation = createSimulation({ seed });
  const network = createSimNetwork(simulation, options);
  const peers = Array.from({ length: count }, (_, index) => {
    const transport: SimTransport = network.transport(peerKey(index));
    const received: Received[] = [];
    const events: PeerEvent[] = [];
    transport.onFrame((from, lane, frame) => received.push({ from, lane, frame, atMs: simulation.nowMs }));
    transport.onPeer((event) => events.push(event));
    void transport.start();
    return { transport, received, events, key: peerKey(index) };
  });
  await simulation.run({ untilMs: 1_000 });
  return { simulation, network, peers };
}

export function frameOf(value: number): Uint8Array {
  return new Uint8Array([value & 0xff, value >> 8]);
}

export function numberOf(frame: Uint8Array): number {
  return (frame[0] as number) | ((frame[1] as number) << 8);
}
