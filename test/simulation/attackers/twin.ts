/**
 * Two whole validators with one key, each connected to a part of the network (Bano et al., "Twins", 2020): equivocation, double votes, lost
 * state.
 */
import type { PeerEvent, PeerKey, Transport } from '@slipstream/ports';
import type { NodeCode } from '../harness/cluster.ts';
import { startValidator } from '../harness/validator.ts';

export interface TwinOptions {
  /** Of new random groups; undefined: constant ones. */
  readonly regroupMs?: number;
}

type Half = 0 | 1;

export function twin({ regroupMs }: TwinOptions): NodeCode {
  return async (world, setting) => {
    const { transport, random, clock } = world;
    const draws = random.fork('twin');
    const groups = new Map<PeerKey, ReadonlySet<Half>>();
    const handlers: { frame: Parameters<Transport['onFrame']>[0]; peer: (event: PeerEvent) => void; alive: boolean }[] =
      [];

    function groupOf(peer: PeerKey): ReadonlySet<Half> {
      let group = groups.get(peer);
      if (group === undefined) {
        group = new Set(draws.pick<readonly Half[]>([[0], [1], [0, 1]]));
        groups.set(peer, group);
      }
      return group;
    }

    function halfTransport(half: Half): Transport {
      const handler = { frame: () => {}, peer: () => {}, alive: true } as (typeof handlers)[number];
      handlers[half] = handler;
      const reaches = (peer: PeerKey) => handler.alive && groupOf(peer).has(half);
      return {
        ...transport,
        self: transport.self,
        send: (to, lane, frame) => reaches(to) && transport.send(to, lane, frame),
        broadcast(lane, frame) {
          for (const { peer } of transport.peers()) if (reaches(peer)) transport.send(peer, lane, frame);
        },
        onFrame(handle) {
          handler.frame = handle;
        },
        onPeer(handle) {
          handler.peer = handle;
        },
        block() {},
        unblock() {},
        async start() {},
        async stop() {
          handler.alive = false;
        },
      };
    }

    function regroup(everyMs: number): void {
      groups.clear();
      clock.after(draws.unit() * 2 * everyMs, () => regroup(everyMs));
    }

    for (const half of [0, 1] as const) {
      const inner = halfTransport(half);
      const exit = () => {
        (handlers[half] as (typeof handlers)[number]).alive = false;
      };
      await startValidator(
        { ...world, transport: inner, random: world.random.fork(`half ${half}`), exit },
        { ...setting, home: `${half}-` },
      );
    }
    transport.onFrame((from, lane, frame) => {
      for (const half of groupOf(from)) if (handlers[half]?.alive) handlers[half]?.frame(from, lane, frame);
    });
    transport.onPeer((event) => {
      for (const { peer, alive } of handlers) if (alive) peer(event);
    });
    await transport.start();
    if (regroupMs !== undefined) regroup(regroupMs);
    return { consensus: undefined };
  };
}
