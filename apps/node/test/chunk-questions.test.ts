/** What the executor asks of the main thread when it catches up. */
import { BLOCK_CHUNKS_MAX, ID_BYTES } from '@slipstream/types';
import { expect, it } from 'vitest';
import { MAIN_QUEUES } from '../src/executor/wire.ts';
import { createSendQueue } from '../src/threads/send-queue.ts';

/** Of consensus: final blocks that are taken in and not committed. */
const OPEN_BLOCKS_MAX = 256;

it('every chunk of all blocks that may be open can be asked for at once', () => {
  const queue = createSendQueue('main-chunks', MAIN_QUEUES.queues['main-chunks'] as never, () => {});
  for (let asked = 0; asked < OPEN_BLOCKS_MAX * BLOCK_CHUNKS_MAX; asked++) expect(queue.enter(ID_BYTES)).toBe(true);
});
