/** View and parameters stand after the #, so that an address works however the page is served. */
import { useSyncExternalStore } from 'react';

export const VIEW_NAMES = [
  'overview',
  'timeline',
  'signatures',
  'peers',
  'dissemination',
  'storage',
  'explorer',
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

/** Of the last navigation. A view that writes its state into the address, without one, moves no focus. */
let followed: string | undefined;

export function useRoute(): Route {
  const hash = useSyncExternalStore(
    (listener) => {
      const follow = () => {
        followed = location.hash;
        listener();
      };
      addEventListener('hashchange', follow);
      return () => removeEventListener('hashchange', follow);
    },
    () => {
      followed ??= location.hash;
      return followed;
    },
  );
  return parseRoute(hash);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
