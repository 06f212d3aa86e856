import type { BlockId, Height, Hex } from '@slipstream/types';
import type { PipelineStatus } from './components.ts';
import type { CommittedTip, Start } from './reconcile.ts';

export interface Progress {
  tip: CommittedTip;
  /** The last final block that consensus reported. */
  ordered: { readonly id: Hex<BlockId>; readonly height: Height };
  executedHeight: number;
  certifiedHeight: number;
  state: PipelineStatus['state'];
}

/** Blocks in the ledger are final and certified, even if the store lacks them. */
export function progressAt({ tip, recorded }: Start): Progress {
  const last = recorded.at(-1);
  const ordered = last ? { id: last.id, height: last.block.height } : tip;
  return { tip, ordered, executedHeight: ordered.height, certifiedHeight: ordered.height, state: 'running' };
}
