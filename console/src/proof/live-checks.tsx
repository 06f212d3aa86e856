/** Sends each block of the stream, once committed and certified, to the worker, which verifies its certificates. */
import { useEffect, useRef, useState } from 'react';
import { useChosenPlace } from '../node/chosen.ts';
import type { ViewRow } from '../stream/snapshot.ts';
import { useStream } from '../stream/use-stream.ts';
import type { BlockToVerify } from './live-message.ts';
import { follow, forget } from './live-state.ts';
import { sendToWorker } from './worker.ts';

/** Of the blocks from before the page was open. */
const FIRST_BLOCKS = 8;
/** The first view and its data come before the worker. */
const START_AFTER_MS = 2_000;

/** Draws nothing. A component of its own, since each block would draw its parent again. */
export function LiveChecks() {
  const place = useChosenPlace();
  const genesisHash = useStream(({ status }) => status?.genesisHash);
  const views = useStream((snapshot) => snapshot.views);
  const [isReady, setReady] = useState(false);
  const seen = useRef<ReadonlySet<number>>(new Set());

  // biome-ignore lint/correctness/useExhaustiveDependencies: another node or chain starts again
  useEffect(() => {
    if (genesisHash === undefined) return;
    seen.current = new Set();
    const timer = setTimeout(() => setReady(true), START_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setReady(false);
      forget();
    };
  }, [place, genesisHash]);

  useEffect(() => {
    if (!isReady) return;
    const { blocks, heights } = blocksToVerify(views, seen.current);
    seen.current = heights;
    if (blocks.length === 0) return;
    follow();
    sendToWorker({ type: 'blocks', blocks });
  }, [isReady, views]);

  return null;
}

interface NewBlocks {
  readonly blocks: readonly BlockToVerify[];
  /** All that are certified and still shown. */
  readonly heights: ReadonlySet<number>;
}

/** Committed and certified, ascending, without those in `seen`; when nothing was seen, only the newest. */
export function blocksToVerify(views: readonly ViewRow[], seen: ReadonlySet<number>): NewBlocks {
  const certified = views.flatMap(({ height, blockId, times: { committedMs, certifiedMs } }) =>
    height !== null && blockId !== null && committedMs !== undefined && certifiedMs !== undefined
      ? [{ height, blockId }]
      : [],
  );
  const fresh = certified.filter(({ height }) => !seen.has(height));
  const blocks = seen.size === 0 ? fresh.slice(-FIRST_BLOCKS) : fresh;
  return { blocks, heights: new Set(certified.map(({ height }) => height)) };
}
