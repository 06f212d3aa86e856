/** The theme: the reader's choice, else the system's preference. It is set on the root element, which tokens.css follows. */
import { useSyncExternalStore } from 'react';

export type Theme = 'dark' | 'light';

const STORAGE_KEY = 'slipstream.theme';
const listeners = new Set<() => void>();

export function initTheme(): void {
  const system = window.matchMedia('(prefers-color-scheme: light)');
  set(chosen() ?? systemTheme(system));
  system.addEventListener('change', () => {
    if (chosen() === undefined) set(systemTheme(system));
  });
}

export function chooseTheme(theme: Theme): void {
  set(theme);
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Storage may be forbidden: the choice lasts as long as the page.
  }
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, current);
}

function current(): Theme {
  return document.documentElement.dataset.theme === 'light' ? 'light' : 'dark';
}

function set(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function systemTheme(query: MediaQueryList): Theme {
  return query.matches ? 'light' : 'dark';
}

function chosen(): Theme | undefined {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return stored === 'light' || stored === 'dark' ? stored : undefined;
  } catch {
    return undefined;
  }
}
