/** A key for calls on a development chain: made by this page, kept in it alone, forgotten when it is loaded again. */
import { generateKeyPair, type KeyPair } from '@slipstream/client';
import { useSyncExternalStore } from 'react';

let key: KeyPair | null = null;
const listeners = new Set<() => void>();

export function generatePageKey(): void {
  key = generateKeyPair();
  for (const listener of listeners) listener();
}

export function usePageKey(): KeyPair | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => key,
  );
}
