/** Has the worker's light client follow the selected node. */
import { useEffect } from 'react';
import { useChosenPlace } from '../node/chosen.ts';
import { useStream } from '../stream/use-stream.ts';
import { follow, forget } from './live-state.ts';

/** Draws nothing. */
export function LiveChecks() {
  const place = useChosenPlace();
  const genesisHash = useStream(({ status }) => status?.genesisHash);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another node or chain starts again
  useEffect(() => {
    if (genesisHash === undefined) return;
    follow(genesisHash);
    return forget;
  }, [place, genesisHash]);

  return null;
}
