/** Readers use a committed batch's overlay until it is folded. */
import { toHex, utf8 } from '@slipstream/primitives';
import { createLifetime, type SimDisk } from '@slipstream/simulator';
import { describe, expect, test } from 'vitest';
import { commitBatch, contentsOf, logsOf, newDisk, open, put, remove, TINY } from './builders.ts';

const names = Array.from({ length: 20 }, (_, i) => `account ${i + 10}`);
const options = { parameters: { ...TINY, history: 1 }, genesisBatch: names.map((name) => put(name, 'x'.repeat(40))) };

/** The pauses of a store whose thread is busy until `free`. */
function busyThread() {
  let end: () => void = () => {};
  const free = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { pause: () => free, free: () => end() };
}

const openBusy = async (disk: SimDisk, thread = busyThread()) => ({
  ...thread,
  ...(await open(disk, options, createLifetime(), thread.pause)),
});

const changes = [put('account 12', 'new'), remove('account 13'), put('new', 'n')];

describe('between commit and fold', () => {
  test('readers and views see the committed batch, and nothing of the appended one', async () => {
    const { store, free } = await openBusy(newDisk());
    await commitBatch(store, '01', changes);
    const view = store.view('01');
    store.prepare('01', '02', [put('account 12', 'later')]);
    await store.append('02');
    for (const get of [store.get, view.get]) {
      expect(get(utf8('account 12'))).toEqual(utf8('new'));
      expect(get(utf8('account 13'))).toBeUndefined();
      expect(get(utf8('account 14'))).toEqual(utf8('x'.repeat(40)));
    }
    expect(store.view('02').get(utf8('account 12'))).toEqual(utf8('later'));
    let reported = false;
    const stats = store.stats().finally(() => {
      reported = true;
    });
    await new Promise(setImmediate);
    expect(reported).toBe(false);
    free();
    expect(await stats).toMatchObject({ keys: 20, pending: 1, prepared: 1 });
  });

  test('a batch prepared on it has the same bytes as after the fold', async () => {
    const [busy, plain] = [newDisk(), newDisk()];
    const { store, free } = await openBusy(busy);
    const { store: other } = await open(plain, options);
    for (const each of [store, other]) await commitBatch(each, '01', changes);
    const next = [put('account 12', 'later'), put('account 13', 'again'), remove('new')];
    expect(await commitBatch(other, '02', next)).toEqual(store.prepare('01', '02', next).checksum);
    await store.append('02');
    const committed = store.commit('02');
    free();
    await committed;
    expect(contentsOf(store)).toEqual(contentsOf(other));
    expect((await store.verify()).faults).toEqual([]);
    await Promise.all([store.close(), other.close()]);
    expect(logsOf(busy)).toEqual(logsOf(plain));
  });

  test('a block on top can be reverted, and its rival committed', async () => {
    const { store, free } = await openBusy(newDisk());
    await commitBatch(store, '01', changes);
    store.prepare('01', 'rival', [put('account 14', 'rival')]);
    await store.append('rival');
    await store.revert('rival');
    store.prepare('01', '02', [put('account 15', 'winner')]);
    await store.append('02');
    free();
    await store.commit('02');
    expect(store.get(utf8('account 14'))).toEqual(utf8('x'.repeat(40)));
    expect(store.get(utf8('account 15'))).toEqual(utf8('winner'));
  });

  test('the next commit waits: at most one commit is not folded', async () => {
    const { store, free } = await openBusy(newDisk());
    await commitBatch(store, '01', changes);
    store.prepare('01', '02', []);
    await store.append('02');
    let isOver = false;
    const second = store.commit('02').then(() => {
      isOver = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([isOver, store.tip.block]).toEqual([false, '01']);
    free();
    await second;
    expect(store.tip.block).toBe('02');
  });

  test('a power cut loses nothing', async () => {
    const disk = newDisk();
    const lifetime = createLifetime();
    const { store } = await open(disk, options, lifetime, busyThread().pause);
    await commitBatch(store, '01', changes);
    lifetime.end();
    disk.crash('lose-all');
    const again = await open(disk, options);
    expect(again.recovered.block).toBe('01');
    expect(again.store.get(utf8('account 12'))).toEqual(utf8('new'));
  });
});

test('a rival that begins a new file is not confused with the old file (found by seed 23)', async () => {
  const { store } = await open(newDisk(), options);
  const ended = names.filter((name) => name > 'account 17').map(remove);
  await commitBatch(store, '01', [...ended, remove('account 15')]);
  const emptied = ['account 16', 'account 17'].map(remove);
  const alone = store.prepare('01', 'first', emptied).checksum;
  const small = ['a', 'b', 'c', 'd', 'e'].map((name) => put(name, ''));
  store.prepare('01', 'rival', [...small, put('rival six', 'y'.repeat(40)), ...emptied]);
  await store.append('rival');
  expect(store.prepare('01', 'second', emptied).checksum).toEqual(alone);
});

test('a block that is reverted leaves no trace in the index', async () => {
  const { store } = await open(newDisk(), options);
  const before = [contentsOf(store), (await store.stats()).indexBytes];
  store.prepare('00', 'rival', [put('new', 'z'.repeat(60)), put('large', 'z'.repeat(2_000))]);
  await store.append('rival');
  await store.revert('rival');
  expect([contentsOf(store), (await store.stats()).indexBytes]).toEqual(before);
});

describe('a segment of several MiB', () => {
  const large = Array.from({ length: 80 }, (_, i) => put(`large ${i}`, String(i % 10).repeat(60_000)));

  test('is written in pieces, synced while it is written, and is the same when opened again', async () => {
    const disk = newDisk();
    const { store } = await open(disk);
    const checksum = await commitBatch(store, '01', large);
    await store.close();
    const again = await open(disk);
    expect(toHex(again.store.tip.checksum)).toBe(toHex(checksum));
    expect(again.store.get(utf8('large 79'))).toEqual(utf8('9'.repeat(60_000)));
  });

  test.each(['write', 'sync'] as const)('fails when any %s of it fails, and is truncated', async (operation) => {
    for (let nth = 1, failed = true; failed; nth++) {
      const disk = newDisk(`${operation} ${nth}`);
      const { store } = await open(disk);
      store.prepare('00', '01', large);
      let seen = 0;
      failed = false;
      disk.failWhen((call) => {
        if (call.operation !== operation || ++seen !== nth) return undefined;
        failed = true;
        return 'io';
      });
      const outcome = await store.append('01').then(() => 'written', String);
      expect(outcome === 'written').toBe(!failed);
      if (!failed) expect(nth).toBeGreaterThan(2);
      disk.failWhen(undefined);
      await store.close();
      expect((await open(disk)).recovered.block).toBe('00');
    }
  });
});
