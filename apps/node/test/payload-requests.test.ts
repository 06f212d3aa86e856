import { BLOCK_BYTES_MAX, ID_BYTES } from '@slipstream/types';
import { expect, it } from 'vitest';
import { MAIN_QUEUES } from '../src/executor/wire.ts';
import { createSendQueue } from '../src/threads/send-queue.ts';

/** Of consensus: final blocks, not committed. */
const OPEN_BLOCKS_MAX = 256;

it('the payloads of all blocks that may be open can be requested at once', () => {
  const queue = createSendQueue('main-payloads', MAIN_QUEUES.queues['main-payloads'] as never, () => {});
  for (let requested = 0; requested < OPEN_BLOCKS_MAX; requested++) {
    expect(queue.enter(BLOCK_BYTES_MAX + 2 * ID_BYTES)).toBe(true);
  }
});
