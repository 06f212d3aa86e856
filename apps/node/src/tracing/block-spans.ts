/** Spans of the executor's thread, on every node: the stages of the block that holds a transaction. */
import type { CommittedBlock } from '@slipstream/pipeline';
import type { Telemetry } from '@slipstream/ports';
import { STAGE_SPANS } from '@slipstream/schema';
import { hexOf } from '@slipstream/types';

type Committed = Pick<CommittedBlock, 'blockId' | 'block' | 'receipts' | 'times'>;

export function createBlockSpans(
  telemetry: Pick<Telemetry, 'span'>,
  isTraced: (id: string) => boolean,
): (committed: Committed) => void {
  return ({ blockId, block, receipts, times }) => {
    const traced = receipts.map(({ transactionId }) => hexOf(transactionId)).filter(isTraced);
    if (traced.length === 0) return;
    const fields = { thread: 'executor', block: hexOf(blockId), height: block.height, view: block.view };
    for (const { stage, from, to } of STAGE_SPANS) {
      const [fromMs, toMs] = [from(times), times[to]];
      if (fromMs === undefined || toMs === undefined) continue;
      for (const transactionId of traced) {
        telemetry.span?.({ transactionId, name: `block.${stage}`, fromMs, toMs: Math.max(fromMs, toMs), fields });
      }
    }
  };
}
