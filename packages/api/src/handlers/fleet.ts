/** Lists the other nodes whose event streams this node relays. */
import type { FleetNode } from '@slipstream/schema';
import { type Handler, json } from '../answer.ts';

/** The monitored nodes; apps/node implements it. */
export interface Fleet {
  /** In the order of the configuration. */
  nodes(): readonly FleetNode[];
}

export const NO_FLEET: Fleet = { nodes: () => [] };

export function createFleetHandlers(fleet: Fleet): { readonly fleet: Handler } {
  return { fleet: () => json({ items: fleet.nodes() }) };
}
