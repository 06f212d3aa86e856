/** Computes wrong results on a development chain, to test that a diverging node stops. */
import { type ExecuteBlock, type ExecutedBlock, executeBlock } from '@slipstream/execution';
import { utf8 } from '@slipstream/primitives';

/** No execution writes this key. */
const WRONG_WRITE = { key: utf8('development/diverged'), value: new Uint8Array([1]) };

/** From height `divergeAt` on each block writes WRONG_WRITE too; undefined: normal execution. */
export function executing(divergeAt: number | undefined): (block: ExecuteBlock) => ExecutedBlock {
  if (divergeAt === undefined) return executeBlock;
  return (block) => {
    const executed = executeBlock(block);
    return block.height < divergeAt ? executed : { ...executed, batch: [...executed.batch, WRONG_WRITE] };
  };
}
