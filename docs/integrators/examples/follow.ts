/** Follows a node: each committed block, without a gap over reconnects. Usage: node follow.ts URL BLOCKS */
import { createClient } from '@slipstream/client';
import type { EventData } from '@slipstream/schema';

const [url = '', blocks = '5'] = process.argv.slice(2);
let left = Number(blocks);

const stream = createClient({ url }).events({
  topics: ['blocks', 'alerts'],
  // Full state first, and again whenever the node could not resume where this reader was.
  onState: ({ state }) => console.log(`at height ${state.status.height}`),
  onEvent: ({ event }) => {
    if (event.type === 'alert.raised') console.log('ALERT', event.data);
    if (event.type !== 'block.committed' || left === 0) return;
    const { height, transactions } = event.data as EventData<'block.committed'>;
    console.log(`block ${height}: ${transactions} transactions`);
    left -= 1;
    if (left === 0) stream.close();
  },
  onConnection: (state) => {
    if (state.type === 'lost') console.log(`lost (${state.reason}), again in ${state.retryInMs} ms`);
  },
});
