/** The newest statistics of every node, from their event streams. */
import type { EventStream } from '@slipstream/client';
import type { Stats } from '@slipstream/schema';
import type { Cluster } from './cluster.ts';

export interface Watch {
  /** Undefined before the first. */
  stats(name: string): Stats | undefined;
  stop(): void;
}

export function watchCluster({ nodes }: Cluster): Watch {
  const newest = new Map<string, Stats>();
  const streams = nodes.map(
    (node): EventStream =>
      node.client.events({
        topics: ['stats'],
        onState: ({ state }) => {
          if (state.stats !== null) newest.set(node.name, state.stats);
        },
        onEvent: ({ event }) => {
          if (event.type === 'stats') newest.set(node.name, event.data);
        },
      }),
  );
  return {
    stats: (name) => newest.get(name),
    stop() {
      for (const stream of streams) stream.close();
    },
  };
}
