import type { FleetNode } from '@slipstream/schema';
import { type Handler, json } from '../answer.ts';

/** Implemented by apps/node. */
export interface Fleet {
  /** In the configuration's order. */
  nodes(): readonly FleetNode[];
}

export const NO_FLEET: Fleet = { nodes: () => [] };

export function createFleetHandlers(fleet: Fleet): { readonly fleet: Handler } {
  return { fleet: () => json({ items: fleet.nodes() }) };
}
