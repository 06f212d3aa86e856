/** The nodes of a cluster for a load: full nodes first, because they serve clients. */

import type { Cluster, ClusterNode } from '@slipstream/devnet';
import type { WatchedNode } from '../measure/node-sampler.ts';

/** Followed in this order; sent to at random. */
export function handlesOf({ nodes }: Cluster): readonly WatchedNode[] {
  const isFull = ({ validator }: ClusterNode) => validator === undefined;
  return [...nodes.filter(isFull), ...nodes.filter((node) => !isFull(node))].map(handleOf);
}

function handleOf({ name, client, process }: ClusterNode): WatchedNode {
  return {
    name,
    client,
    get pid() {
      return process.pid;
    },
    get running() {
      return process.running;
    },
    get restarts() {
      return process.restarts;
    },
  };
}
