import { silentTelemetry } from '@slipstream/ports';
import { createRandom } from '@slipstream/simulator';
import { describe, expect, test } from 'vitest';
import { createChunkReader, type KeptChunk } from '../src/index.ts';
import { blockOf, chunkOf, directory, type Machine, newMachine, open } from './builders.ts';

/** Two blocks of two chunks fill one. */
const SEGMENT = { segmentBytesMax: 320 };
const idsOf = (chunks: readonly KeptChunk[]) => chunks.map(({ chunkId }) => chunkId);

async function filled(machine: Machine, heights: number) {
  const files = await open(machine, SEGMENT);
  for (let height = 1; height <= heights; height++) await files.put(height, blockOf(height));
  return files;
}

describe('chunks of committed blocks', () => {
  test('that a killed process wrote without a sync survive a power cut once they are found', async () => {
    const [machine, twin] = [newMachine(), newMachine()];
    await filled(machine, 1);
    await filled(twin, 2);
    const path = machine.disk.paths()[0] as string;
    const file = await machine.disk.mount().open(path);
    await file.write(0, [twin.disk.contents(path) as Uint8Array]);
    const again = await open(machine, SEGMENT, 'again');
    for (const { chunkId, bytes } of blockOf(2)) expect(await again.get(chunkId)).toEqual(bytes);
    machine.disk.crash('lose-all');
    machine.index.crash('lose-all');
    const third = await open(machine, SEGMENT, 'third');
    for (const { chunkId, bytes } of blockOf(2)) expect(await third.get(chunkId)).toEqual(bytes);
  });

  test('are found in the same process, in another thread and after a restart', async () => {
    const machine = newMachine();
    const files = await filled(machine, 10);
    const components = { disk: machine.disk.mount(), index: machine.index.mount(), telemetry: silentTelemetry };
    const reader = createChunkReader(components, directory);
    for (const { chunkId, bytes } of blockOf(7)) {
      expect(await files.get(chunkId)).toEqual(bytes);
      expect(await reader.get(chunkId)).toEqual(bytes);
    }
    await files.close();
    const again = await open(machine, SEGMENT);
    for (let height = 1; height <= 10; height++) {
      for (const { chunkId, bytes } of blockOf(height)) expect(await again.get(chunkId)).toEqual(bytes);
    }
    expect(await again.get(chunkOf(99).chunkId)).toBeUndefined();
    expect(machine.logged).toEqual([]);
  });

  test('survive a power cut, also those whose index entries were not yet on disk', async () => {
    const machine = newMachine();
    await filled(machine, 10);
    machine.disk.crash('lose-all');
    machine.index.crash('lose-all');
    const again = await open(machine, SEGMENT);
    for (let height = 1; height <= 10; height++) {
      for (const { chunkId, bytes } of blockOf(height)) expect(await again.get(chunkId)).toEqual(bytes);
    }
  });

  test('are written once, however often their block is executed', async () => {
    const machine = newMachine();
    const files = await filled(machine, 5);
    const before = machine.disk.paths().map((path) => machine.disk.contents(path)?.length);
    for (const height of [5, 3, 5]) await files.put(height, blockOf(height));
    await files.close();
    const again = await open(machine, SEGMENT);
    await again.put(4, blockOf(4));
    expect(machine.disk.paths().map((path) => machine.disk.contents(path)?.length)).toEqual(before);
  });

  test('are written again when the stored copy is damaged', async () => {
    const machine = newMachine();
    await filled(machine, 1);
    const path = machine.disk.paths()[0] as string;
    const bytes = machine.disk.contents(path) as Uint8Array;
    machine.disk.replaceContents(path, bytes.fill(0, 100, 101));
    const files = await open(machine, SEGMENT);
    const [{ chunkId, bytes: whole }] = blockOf(1) as [KeptChunk];
    expect(await files.get(chunkId)).toBeUndefined();
    await files.put(1, blockOf(1));
    expect(await files.get(chunkId)).toEqual(whole);
  });

  test('with a damaged index entry are reported and missing until they are put again', async () => {
    const machine = newMachine();
    const [{ chunkId, bytes }] = blockOf(1) as [KeptChunk];
    const files = await open(machine, SEGMENT);
    await files.put(1, blockOf(1));
    await machine.index.mount().batch([{ type: 'put', key: chunkId, value: new Uint8Array(7) }]);
    expect(await files.get(chunkId)).toBeUndefined();
    expect(machine.logged).toEqual([expect.stringContaining('its entry in the index')]);
    await files.put(1, blockOf(1));
    expect(await files.get(chunkId)).toEqual(bytes);
  });

  test('may have ids that share a prefix with an index entry', async () => {
    const machine = newMachine();
    const files = await open(machine, SEGMENT);
    const chunkId = new Uint8Array(32).fill(1);
    chunkId.set(new TextEncoder().encode('segment '));
    await files.put(1, [{ chunkId, bytes: chunkOf(1).bytes }]);
    await files.close();
    expect(await (await open(machine, SEGMENT)).get(chunkId)).toEqual(chunkOf(1).bytes);
  });
});

describe('pruning', () => {
  test('removes a file once all heights in it are pruned, and never the file being written', async () => {
    const machine = newMachine();
    const files = await filled(machine, 10);
    const before = machine.disk.paths().length;
    expect(before).toBe(5);
    expect(await files.removeBelow(2)).toBe(0);
    expect(await files.removeBelow(3)).toBe(1);
    expect(await files.removeBelow(3)).toBe(0);
    expect(await files.removeBelow(1_000)).toBe(3);
    expect(machine.disk.paths()).toHaveLength(1);
    for (const { chunkId, bytes } of blockOf(10)) expect(await files.get(chunkId)).toEqual(bytes);
    for (const { chunkId } of blockOf(1)) expect(await files.get(chunkId)).toBeUndefined();
  });

  test('leaves no chunk of the files that it removed', async () => {
    const machine = newMachine();
    const files = await filled(machine, 10);
    for (let height = 1; height < 9; height++) await files.forget(idsOf(blockOf(height)));
    await files.removeBelow(9);
    expect(machine.disk.paths()).toHaveLength(1);
    expect(machine.index.size).toBe(2 * 2 + 1);
    machine.disk.crash('lose-all');
    await open(machine, SEGMENT, 'again');
    expect(machine.disk.paths()).toHaveLength(1);
    expect(machine.index.size).toBe(2 * 2 + 1);
    expect(machine.logged).toEqual([]);
  });

  test('is durable before a file is removed: after a power cut a pruned chunk is absent and none is reported damaged', async () => {
    const machine = newMachine();
    const files = await filled(machine, 6);
    for (const height of [1, 2]) await files.forget(idsOf(blockOf(height)));
    expect(await files.removeBelow(3)).toBe(1);
    machine.disk.crash('lose-all');
    machine.index.crash('lose-all');
    const again = await open(machine, SEGMENT, 'again');
    for (const { chunkId } of [...blockOf(1), ...blockOf(2)]) expect(await again.get(chunkId)).toBeUndefined();
    expect(machine.logged).toEqual([]);
  });

  test('holds after a power cut that preserved the files and not the index', async () => {
    const machine = newMachine();
    const files = await filled(machine, 10);
    await files.removeBelow(9);
    machine.index.crash('lose-all');
    const again = await open(machine, SEGMENT, 'again');
    expect(machine.disk.paths()).toHaveLength(1);
    for (const { chunkId, bytes } of [...blockOf(9), ...blockOf(10)]) expect(await again.get(chunkId)).toEqual(bytes);
    for (const { chunkId } of blockOf(1)) expect(await again.get(chunkId)).toBeUndefined();
  });

  test.each(['lose-all', 'subset'] as const)('continues after an interruption by a power cut (%s)', async (mode) => {
    for (let failing = 0; failing < 12; failing++) {
      const machine = newMachine(`${mode}/${failing}`);
      const files = await filled(machine, 10);
      const stopAt = machine.disk.callsMade + failing;
      machine.disk.failWhen(() => (machine.disk.callsMade >= stopAt ? 'io' : undefined));
      await files.removeBelow(9).catch(() => {});
      machine.disk.failWhen(undefined);
      machine.disk.crash(mode);
      machine.index.crash(mode);
      const again = await open(machine, SEGMENT, `again/${failing}`);
      await again.removeBelow(9);
      expect(machine.disk.paths()).toHaveLength(1);
      for (const { chunkId, bytes } of blockOf(9)) expect(await again.get(chunkId)).toEqual(bytes);
      await again.close();
      const third = await open(machine, SEGMENT, `third/${failing}`);
      await third.put(11, blockOf(11));
      for (const { chunkId, bytes } of [...blockOf(10), ...blockOf(11)])
        expect(await third.get(chunkId)).toEqual(bytes);
    }
  });
});

describe('a disk that fails', () => {
  test.each(['write', 'sync', 'open', 'sync-directory'] as const)(
    'at a %s rejects this and every later write; the next opening continues from the stored chunks',
    async (operation) => {
      const machine = newMachine(operation);
      const files = await filled(machine, 2);
      machine.disk.failWhen((call) => (call.operation === operation ? 'no-space' : undefined));
      await expect(files.put(3, blockOf(3))).rejects.toMatchObject({ code: 'no-space' });
      machine.disk.failWhen(undefined);
      await expect(files.put(4, blockOf(4))).rejects.toMatchObject({ code: 'no-space' });
      await files.close();
      const again = await open(machine, SEGMENT);
      for (const { chunkId, bytes } of [...blockOf(1), ...blockOf(2)]) expect(await again.get(chunkId)).toEqual(bytes);
      await again.put(3, blockOf(3));
      for (const { chunkId, bytes } of blockOf(3)) expect(await again.get(chunkId)).toEqual(bytes);
    },
  );

  test('gets no further write after the close', async () => {
    const files = await filled(newMachine(), 2);
    await files.close();
    await expect(files.put(3, blockOf(3))).rejects.toMatchObject({ code: 'closed' });
  });
});

test('files of another chain are rejected and left unchanged', async () => {
  const machine = newMachine();
  await (await filled(machine, 2)).close();
  const foreign = { genesisHash: createRandom(5).bytes(32) };
  await expect(open(machine, { ...SEGMENT, ...foreign })).rejects.toMatchObject({ code: 'foreign' });
  expect(await (await open(machine, SEGMENT)).get((blockOf(1)[0] as KeptChunk).chunkId)).toBeDefined();
});
