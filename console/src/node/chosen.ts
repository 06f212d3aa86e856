/** Which node of the fleet the page looks at: '' is the one that its address leads to, '/fleet/NAME' one behind it. */
import { useSyncExternalStore } from 'react';

const KEY = 'slipstream-node';
const PATH = /^(?:|\/[A-Za-z0-9._/-]{1,200})$/;

const listeners = new Set<() => void>();
let chosen = read();

export function chosenPath(): string {
  return chosen;
}

/** The address of the chosen node's interface. */
export function chosenUrl(): string {
  return location.origin + chosen;
}

export function chooseNode(path: string): void {
  if (path === chosen || !PATH.test(path)) return;
  chosen = path;
  sessionStorage.setItem(KEY, path);
  for (const listener of listeners) listener();
}

/** Returns the way to stop. */
export function onChosen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useChosenPath(): string {
  return useSyncExternalStore(onChosen, chosenPath);
}

/** Kept for this tab alone. A page that has no fleet (any more) looks at its own node. */
function read(): string {
  if (typeof document === 'undefined' || document.querySelector('meta[name="slipstream-fleet"]') === null) return '';
  const kept = sessionStorage.getItem(KEY) ?? '';
  return PATH.test(kept) ? kept : '';
}
