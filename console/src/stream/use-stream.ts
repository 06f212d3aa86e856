/** A component is drawn again when its selected part changes. */
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { PageMessage } from './page-message.ts';
import type { Batch, Snapshot } from './snapshot.ts';
import { createStore, type Store } from './store.ts';

const StoreContext = createContext<Store>(createStore());
export const StoreProvider = StoreContext.Provider;

/** `select` must return the same object when nothing changed. */
export function useStream<T>(select: (snapshot: Snapshot) => T): T {
  const store = useContext(StoreContext);
  return useSyncExternalStore(store.subscribe, () => select(store.read()));
}

/** The result ends the worker. `node`: relayed by the node at `url`. */
export function connectStore(store: Store, url: string, node?: string): () => void {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'stream' });
  const send = (message: PageMessage) => worker.postMessage(message);
  const onVisibility = () => send({ type: 'visible', visible: document.visibilityState === 'visible' });
  const onBatch = ({ data }: MessageEvent<Batch>) => store.apply(data);
  worker.addEventListener('message', onBatch);
  document.addEventListener('visibilitychange', onVisibility);
  send({ type: 'start', url, node });
  onVisibility();
  return () => {
    worker.removeEventListener('message', onBatch);
    document.removeEventListener('visibilitychange', onVisibility);
    worker.terminate();
  };
}
