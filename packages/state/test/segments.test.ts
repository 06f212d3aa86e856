import { bytesEqual, concatBytes, fromUtf8, utf8 } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import { firstDifference, readSegment, type SegmentContents, type StateStore, type Write } from '../src/index.ts';
import { HEAD_OF_ONE_MORE, headOfDelete, SEGMENT_BYTES_MIN } from '../src/log/format.ts';
import { createSegmentWriter, openRow, sealSegment } from '../src/log/segment-writer.ts';
import { commitBatch, newDisk, open, put, remove, TINY } from './builders.ts';

async function contents(store: StateStore, block: string): Promise<SegmentContents> {
  const bytes = await store.segment(block);
  const read = bytes && readSegment(bytes);
  if (!read) throw new Error(`no segment of block ${block}`);
  return read;
}

function segmentWith(head: number): Uint8Array {
  const writer = createSegmentWriter(new Int32Array(100));
  openRow(writer, headOfDelete(4), 1);
  writer.words[writer.at - 1] = head;
  writer.at += 1;
  const previous = new Uint8Array(32);
  return concatBytes(previous, sealSegment(writer, { batch: 1, previous, parent: previous }).bytes);
}

describe('segments', () => {
  it('of a prepared, an appended and a committed block are the bytes of their checksum', async () => {
    const { store } = await open(newDisk(), { parameters: TINY });
    for (let i = 1; i <= 9; i++) {
      const block = `0${i}`;
      const batch = [put('a', `value ${i}`), ...(i % 2 ? [put('b', 'b')] : [remove('b')])];
      const { checksum } = store.prepare(store.tip.block, block, batch);
      for (const step of ['append', 'commit', 'none'] as const) {
        const found = await contents(store, block);
        expect(bytesEqual(found.checksum, checksum)).toBe(true);
        const own = found.writes.filter(({ key }) => fromUtf8(key) === 'a');
        expect(own.map(({ value }) => value && fromUtf8(value))).toEqual([`value ${i}`]);
        if (step !== 'none') await store[step](block);
      }
    }
  });

  it('of a block on more prepared blocks than logs are those bytes too, with none on the disk', async () => {
    const { store } = await open(newDisk(), { parameters: TINY });
    let parent = store.tip.block;
    for (let i = 1; i <= 3 * TINY.history; i++) {
      const { checksum } = store.prepare(parent, `0${i}`, [put('a', `value ${i}`)]);
      expect(bytesEqual((await contents(store, `0${i}`)).checksum, checksum)).toBe(true);
      parent = `0${i}`;
    }
  });

  it('exist for the newest blocks until a file of theirs is replaced', async () => {
    const { store } = await open(newDisk(), { parameters: TINY });
    for (let i = 1; i <= 9; i++) await commitBatch(store, `0${i}`, [put('a', String(i).repeat(100))]);
    expect(await store.segment('05')).toBeUndefined();
    expect((await contents(store, '07')).writes.length).toBeGreaterThan(0);
  });

  it('with a byte changed are refused', async () => {
    const { store } = await open(newDisk(), { parameters: TINY });
    await commitBatch(store, '01', [put('a', 'one')]);
    const bytes = (await store.segment('01')) as Uint8Array;
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = bytes.slice();
      changed[at] = (changed[at] as number) ^ 1;
      expect(readSegment(changed)).toBeUndefined();
    }
  });

  it('store equal lengths in rows of 64, in the order of writing, at four bytes a row', async () => {
    const { store } = await open(newDisk());
    const batch = [
      ...Array.from({ length: 1_000 }, (_, i) => put(`key ${10_000 + i}..`, `value${i % 10}..`)),
      put('odd', 'value'),
      ...Array.from({ length: 65 }, (_, i) => remove(`gone ${100 + i}`)),
      put('odd too', ''),
    ];
    const { bytes } = store.prepare(store.tip.block, '01', batch);
    const bodies = 1_000 * 20 + 12 + 65 * 8 + 8;
    const rows = Math.ceil(1_000 / 64) + 1 + 2 + 1;
    expect(bytes).toBe(SEGMENT_BYTES_MIN + bodies + 4 * rows);
    const { writes } = await contents(store, '01');
    const text = ({ key, value }: Write) => [fromUtf8(key), value && fromUtf8(value)];
    expect(writes.map(text)).toEqual(batch.map(text));
  });

  it.each([
    ['no kind', 0],
    ['keys of no bytes', headOfDelete(0) + HEAD_OF_ONE_MORE],
    ['more than it holds', headOfDelete(64) + 63 * HEAD_OF_ONE_MORE],
  ])('with a row of %s are refused, although their checksum is right', (_, head) => {
    expect(readSegment(segmentWith(headOfDelete(4)))).toBeDefined();
    expect(readSegment(segmentWith(head))).toBeUndefined();
  });

  it('that differ report the lowest differing key and both values', async () => {
    const [one, other] = [await open(newDisk(1)), await open(newDisk(2))];
    await commitBatch(one.store, '01', [put('d', 'x'), put('c', '1'), put('b', 'same')]);
    await commitBatch(other.store, '01', [put('c', '2'), put('b', 'same'), remove('d')]);
    const difference = firstDifference(await contents(one.store, '01'), await contents(other.store, '01'));
    expect(difference).toEqual({ key: utf8('c'), own: utf8('1'), other: utf8('2') });
    const same = await contents(one.store, '01');
    expect(firstDifference(same, same)).toBeUndefined();
  });
});
