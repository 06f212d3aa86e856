/**
 * Follows the other nodes of the configuration by their event streams.
 *
 *   stream of a node: state, stats, alerts --> its entry --> readers of /v1/fleet, event fleet.node
 *   status, every few seconds --------------^                stream lost --> stale, with the last received values
 */
import type { Fleet } from '@slipstream/api';
import { createClient, type EventStream } from '@slipstream/client';
import type { FleetMember } from '@slipstream/node-home';
import type { Clock } from '@slipstream/ports';
import { type FleetNode, type Stats, type Status, type StreamEvent, statusAfter } from '@slipstream/schema';

interface FleetWatch extends Fleet {
  /** By peer key (0x...); undefined before the node's first status. */
  nameOf(peer: string): string | undefined;
  stop(): void;
}

/** For uptime and time of the head, which no event has. */
const STATUS_MS = 3_000;

export function createFleetWatch(
  members: readonly FleetMember[],
  clock: Clock,
  changed: (node: FleetNode) => void,
): FleetWatch {
  const watched = members.map((member) => watch(member, clock, changed));
  return {
    nodes: () => watched.map(({ node }) => node()),
    nameOf: (peer) => watched.find(({ node }) => node().status?.node.peer === peer)?.node().name,
    stop() {
      for (const { stop } of watched) stop();
    },
  };
}

function connecting(name: string, url: string, sinceMs: number): FleetNode {
  return { name, url, state: 'connecting', sinceMs, lastMessageMs: null, detail: null, status: null, stats: null };
}

function watch({ name, url }: FleetMember, clock: Clock, changed: (node: FleetNode) => void) {
  const client = createClient({ url });
  let node = connecting(name, url, clock.wallMs());
  let cancelAsk = () => {};
  const stopped = new AbortController();
  const stream: EventStream = client.events({
    topics: ['stats', 'alerts'],
    onState: ({ state: { status, stats } }) => received({ status, stats }),
    onEvent,
    onConnection(connection) {
      if (connection.type === 'live') become('live', null);
      else if (connection.type === 'lost') become(node.status === null ? 'connecting' : 'stale', connection.reason);
    },
  });
  ask();

  function update(fields: Partial<FleetNode>): void {
    node = { ...node, ...fields };
    changed(node);
  }

  function become(state: FleetNode['state'], detail: string | null): void {
    if (node.state === state && node.detail === detail) return;
    update({ state, detail, sinceMs: node.state === state ? node.sinceMs : clock.wallMs() });
  }

  function received(fields: { readonly status?: Status; readonly stats?: Stats | null }): void {
    update({ ...fields, lastMessageMs: clock.wallMs() });
  }

  function onEvent({ event }: StreamEvent): void {
    const { status } = node;
    if (status === null) return;
    received({ status: statusAfter(status, event), ...(event.type === 'stats' && { stats: event.data }) });
  }

  function ask(): void {
    if (stopped.signal.aborted) return;
    cancelAsk = clock.after(STATUS_MS, ask);
    if (node.state !== 'live') return;
    client.status({ signal: stopped.signal }).then(
      (status) => {
        node = { ...node, status };
      },
      () => {}, // the stream reports a lost node
    );
  }

  return {
    node: () => node,
    stop() {
      stopped.abort();
      cancelAsk();
      stream.close();
    },
  };
}
