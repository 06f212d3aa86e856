/** Has the worker's light client follow the selected node, once its first view is drawn. */
import { useEffect } from 'react';
import { useChosenPlace } from '../node/chosen.ts';
import { useStream } from '../stream/use-stream.ts';
import { follow, forget } from './live-state.ts';

/** The first view and its data come before the worker. */
const START_AFTER_MS = 2_000;

/** Draws nothing. */
export function LiveChecks() {
  const place = useChosenPlace();
  const genesisHash = useStream(({ status }) => status?.genesisHash);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another node or chain starts again
  useEffect(() => {
    if (genesisHash === undefined) return;
    const timer = setTimeout(() => follow(genesisHash), START_AFTER_MS);
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, [place, genesisHash]);

  return null;
}
