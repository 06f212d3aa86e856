/**
 * The selected node.
 *
 *   ''             the node at the page's address
 *   /fleet/NAME    a node behind a development network's gateway: its whole API is below this path
 *   relay:NAME     a node whose stream the page's own node relays; REST requests go to the own node
 */
import { useSyncExternalStore } from 'react';

const KEY = 'slipstream-node';
const PLACE = /^(?:|\/[A-Za-z0-9._/-]{1,200}|relay:[A-Za-z0-9._-]{1,40})$/;
const RELAY = 'relay:';

const listeners = new Set<() => void>();
let chosen = read();

export const relayPlace = (name: string): string => RELAY + name;

function chosenPlace(): string {
  return chosen;
}

/** The node whose stream the page's own node relays; undefined when no relay is needed. */
export function relayedNode(): string | undefined {
  return chosen.startsWith(RELAY) ? chosen.slice(RELAY.length) : undefined;
}

export function chosenUrl(): string {
  return chosen.startsWith(RELAY) ? location.origin : location.origin + chosen;
}

export function chooseNode(place: string): void {
  if (place === chosen || !PLACE.test(place)) return;
  chosen = place;
  sessionStorage.setItem(KEY, place);
  for (const listener of listeners) listener();
}

/** The result ends the subscription. */
export function onChosen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useChosenPlace(): string {
  return useSyncExternalStore(onChosen, chosenPlace);
}

/** The choice is stored for this tab. Paths of nodes exist behind a gateway only. */
function read(): string {
  if (typeof document === 'undefined') return '';
  const stored = sessionStorage.getItem(KEY) ?? '';
  const isPath = stored.startsWith('/');
  const hasGateway = document.querySelector('meta[name="slipstream-fleet"]') !== null;
  return PLACE.test(stored) && (!isPath || hasGateway) ? stored : '';
}
