/** Computes wrong results on a development chain, to test that a diverging node stops. */
import {
  type CallWatch,
  type ExecuteBlock,
  type ExecutedBlock,
  executeBlock,
  type WriteColumns,
} from '@slipstream/execution';
import { concatBytes, utf8 } from '@slipstream/primitives';

/** No execution writes this key. */
const WRONG_KEY = utf8('development/diverged');
const WRONG_VALUE = new Uint8Array([1]);

/** From height `divergeAt` on each block writes WRONG_KEY too; undefined: normal execution. */
export function executing(divergeAt: number | undefined, watch: CallWatch): (block: ExecuteBlock) => ExecutedBlock {
  if (divergeAt === undefined) return (block) => executeBlock({ ...block, watch });
  return (block) => {
    const executed = executeBlock({ ...block, watch });
    return block.height < divergeAt ? executed : { ...executed, batch: withWrongWrite(executed.batch) };
  };
}

function withWrongWrite({ bytes, keyBytes, valueBytes }: WriteColumns): WriteColumns {
  return {
    bytes: concatBytes(bytes, WRONG_KEY, WRONG_VALUE),
    keyBytes: concatBytes(keyBytes, Uint8Array.of(WRONG_KEY.length)),
    valueBytes: Int32Array.from([...valueBytes, WRONG_VALUE.length]),
  };
}
