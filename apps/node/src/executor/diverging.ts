/** An executor that computes wrongly, for development: to see how a node that diverges stops itself. */
import { type ExecuteBlock, type ExecutedBlock, executeBlock } from '@slipstream/execution';
import { utf8 } from '@slipstream/primitives';

/** No execution writes it. */
const WRONG_WRITE = { key: utf8('development/diverged'), value: new Uint8Array([1]) };

/** Undefined: rightly. From the height on, a block writes a key that no other node writes. */
export function executing(divergeAt: number | undefined): (block: ExecuteBlock) => ExecutedBlock {
  if (divergeAt === undefined) return executeBlock;
  return (block) => {
    const executed = executeBlock(block);
    return block.height < divergeAt ? executed : { ...executed, batch: [...executed.batch, WRONG_WRITE] };
  };
}
