/** View and parameters stand after the #, so that an address works however the page is served. */
import { useSyncExternalStore } from 'react';

export const VIEW_NAMES = [
  'overview',
  'timeline',
  'signatures',
  'peers',
  'committee',
  'dissemination',
  'storage',
  'explorer',
  'applications',
  'try',
  'fleet',
] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

export interface Route {
  readonly view: ViewName;
  /** Parameters: ["block", "42"]. */
  readonly rest: readonly string[];
}

/** Unknown addresses lead to the overview. */
export function parseRoute(hash: string): Route {
  const [name = '', ...rest] = hash
    .replace(/^#?\/?/, '')
    .split('/')
    .filter(Boolean);
  const view = VIEW_NAMES.find((known) => known === name);
  return view === undefined ? { view: 'overview', rest: [] } : { view, rest: rest.map(decoded) };
}

export function href(view: ViewName, ...rest: readonly (string | number)[]): string {
  return `#/${[view, ...rest.map((part) => encodeURIComponent(part))].join('/')}`;
}

export function go(view: ViewName, ...rest: readonly (string | number)[]): void {
  location.hash = href(view, ...rest);
}

let followed = 0;

function onNavigation(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(onNavigation, () => location.hash));
}

/** How often the address was followed. A view that writes its state into the address does not count. */
export function useNavigations(): number {
  return useSyncExternalStore(countNavigations, () => followed);
}

function countNavigations(listener: () => void): () => void {
  return onNavigation(() => {
    followed += 1;
    listener();
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
