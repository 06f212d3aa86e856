/** How far the pipeline is. One object, written by the parts that make the progress. */
import type { BlockId, Height, Hex } from '@slipstream/types';
import type { PipelineStatus } from './components.ts';
import type { CommittedTip, Start } from './reconcile.ts';

export interface Progress {
  /** The last committed block. */
  tip: CommittedTip;
  /** The last final block that consensus told of. */
  ordered: { readonly id: Hex<BlockId>; readonly height: Height };
  executedHeight: number;
  certifiedHeight: number;
  state: PipelineStatus['state'];
}

/** What the ledger holds is final and certified, whether or not the store has it yet. */
export function progressAt({ tip, recorded }: Start): Progress {
  const last = recorded.at(-1);
  const ordered = last ? { id: last.id, height: last.block.height } : tip;
  return { tip, ordered, executedHeight: ordered.height, certifiedHeight: ordered.height, state: 'running' };
}
