/** Writes to a LevelDB folder, synced and not, small and large, until it is killed. */
import { utf8 } from '@slipstream/primitives';
import { createRandom } from '@slipstream/simulator';
import { openKeyValue } from '../../src/world/key-value.ts';

const [location = '', seed = ''] = process.argv.slice(2);
const random = createRandom(seed);
const store = await openKeyValue({ location });
process.send?.('opened');
for (let i = 0; ; i++) {
  const sync = i % 8 === 0;
  const value = new Uint8Array(random.below(i % 5 === 0 ? 120_000 : 400));
  value.set(random.bytes(Math.floor(value.length / 2)));
  await store.batch([{ type: 'put', key: utf8(`${sync ? 's' : 'u'} ${random.below(500)}`), value }], { sync });
}
