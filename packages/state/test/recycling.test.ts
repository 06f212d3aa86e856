/** Later batches reuse only the buffers of finished ones. */
import { toHex, utf8 } from '@slipstream/primitives';
import { describe, expect, test } from 'vitest';
import { readSegment, type StateStore, type Write } from '../src/index.ts';
import { commitBatch, logsOf, newDisk, open, put, remove, TINY } from './builders.ts';

const KEYS = 40;
/** Equal sizes: each batch fits any other's buffers. */
const batchOf = (text: string): Write[] =>
  Array.from({ length: KEYS }, (_, i) => put(`key ${i + 10}`, `${text} ${i + 10}`.padEnd(40)));

function expectWhole(store: StateStore, block: string): void {
  const view = store.view(block);
  for (const { key, value } of batchOf(block)) expect(view.get(key)).toEqual(value);
}

describe('a batch prepared after a block was removed', () => {
  test('leaves every pending block, its segment and its reads unchanged', async () => {
    const { store } = await open(newDisk(), { parameters: TINY });
    const checksums = new Map<string, string>();
    const prepare = (parent: string, block: string) =>
      checksums.set(block, toHex(store.prepare(parent, block, batchOf(block)).checksum));
    const chain = Array.from({ length: 6 }, (_, i) => `chain ${i}`);
    const rivals = chain.map((block) => block.replace('chain', 'rival'));
    chain.forEach((block, i) => {
      const parent = chain[i - 1] ?? store.tip.block;
      prepare(parent, block);
      prepare(parent, rivals[i] as string);
    });
    for (const block of chain.slice(0, 4)) await store.append(block);
    for (const rival of rivals.slice(1)) {
      store.drop(rival);
      prepare(chain[5] as string, `late ${rival}`);
    }
    await store.commit(chain[0] as string);
    prepare(chain[3] as string, 'after the commit');
    await store.revert(chain[3] as string);
    prepare(chain[2] as string, 'after the revert');
    await store.append('after the revert');
    for (const block of [chain[1], chain[2], 'after the revert'] as string[]) {
      expectWhole(store, block);
      const segment = readSegment((await store.segment(block)) as Uint8Array);
      expect(segment && toHex(segment.checksum)).toBe(checksums.get(block));
      await store.commit(block);
    }
    expectWhole(store, 'after the revert');
    expect((await store.verify()).faults).toEqual([]);
  });

  test('leaves a committed block and the values that it replaced unchanged until it is folded', async () => {
    const [disk, plain] = [newDisk(), newDisk()];
    let free: () => void = () => {};
    const busy = new Promise<void>((resolve) => {
      free = resolve;
    });
    const { store } = await open(disk, { parameters: TINY }, undefined, () => busy);
    const { store: other } = await open(plain, { parameters: TINY });
    await commitBatch(store, '01', batchOf('01'));
    for (let i = 0; i < 5; i++) {
      store.prepare('01', `dropped ${i}`, [...batchOf('dropped').slice(1), remove('key 10')]);
      store.drop(`dropped ${i}`);
      expectWhole(store, '01');
    }
    const next = batchOf('02');
    store.prepare('01', '02', next);
    await store.append('02');
    const committed = store.commit('02');
    free();
    await committed;
    await commitBatch(other, '01', batchOf('01'));
    await commitBatch(other, '02', next);
    for (const each of [store, other]) await commitBatch(each, '03', [put('last', '')]);
    for (const each of [store, other]) for (let i = 4; i < 9; i++) await commitBatch(each, `0${i}`, batchOf(`0${i}`));
    expect(store.get(utf8('last'))).toEqual(utf8(''));
    expect(logsOf(disk)).toEqual(logsOf(plain));
  });
});

test('a held segment stays intact when its block is dropped and another is prepared', async () => {
  const { store } = await open(newDisk(), { parameters: { history: 1 } });
  for (const block of ['01', '02', '03']) await commitBatch(store, block, batchOf(block));
  const { checksum } = store.prepare('03', 'served', batchOf('served'));
  const bytes = (await store.segment('served')) as Uint8Array;
  store.drop('served');
  store.prepare('03', 'other', batchOf('other'));
  expect(toHex(readSegment(bytes)?.checksum as Uint8Array)).toBe(toHex(checksum));
});
