/** Writes to a sealed LevelDB folder, synced and not, small and large, until it is killed. */

import { createClock } from '@slipstream/platform';
import { utf8 } from '@slipstream/primitives';
import { createRandom } from '@slipstream/simulator';
import { openSealed } from '../../src/storage/seals/sealed-level.ts';

/** Rounds come so much faster than in a node. */
const HURRY = 1_000;

const [location = '', seed = ''] = process.argv.slice(2);
const random = createRandom(seed);
const { after } = createClock();
const clock = { after: (delayMs: number, action: () => void) => after(delayMs / HURRY, action) };
const onDamaged = (error: Error) => {
  throw error;
};
const store = await openSealed({ location, watch: { clock, onDamaged } });
process.send?.('opened');
for (let i = 0; ; i++) {
  const sync = i % 8 === 0;
  const value = new Uint8Array(random.below(i % 5 === 0 ? 120_000 : 400));
  value.set(random.bytes(Math.floor(value.length / 2)));
  await store.batch([{ type: 'put', key: utf8(`${sync ? 's' : 'u'} ${random.below(500)}`), value }], { sync });
}
