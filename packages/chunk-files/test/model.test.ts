import { bytesEqual, toHex } from '@slipstream/primitives';
import { CRASH_MODES, type CrashMode } from '@slipstream/simulator';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChunkFiles, KeptChunk } from '../src/index.ts';
import { chunkOf, type Machine, newMachine, open } from './builders.ts';

type Step =
  | { readonly type: 'put'; readonly sizes: readonly number[] }
  | { readonly type: 'put again' | 'prune'; readonly share: number }
  | { readonly type: 'reopen' | 'tear' }
  | { readonly type: 'crash'; readonly mode: CrashMode };

const share = fc.integer({ min: 0, max: 99 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('put' as const), sizes: fc.array(fc.nat(300), { maxLength: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('put again' as const, 'prune' as const), share }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('reopen' as const, 'tear' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('crash' as const), mode: fc.constantFrom(...CRASH_MODES) }) },
);

const SEGMENT_BYTES_MAX = 900;

/** By height what was put and not pruned; ids of what was pruned. */
interface Model {
  readonly blocks: Map<number, readonly KeptChunk[]>;
  readonly pruned: Map<string, KeptChunk>;
  height: number;
  earliest: number;
}

async function compare(files: ChunkFiles, { blocks, pruned }: Model): Promise<void> {
  for (const chunk of [...blocks.values()].flat()) expect(await files.get(chunk.chunkId)).toEqual(chunk.bytes);
  for (const { chunkId, bytes } of pruned.values()) {
    const found = await files.get(chunkId);
    expect(found === undefined || bytesEqual(found, bytes)).toBe(true);
  }
}

async function prune(files: ChunkFiles, model: Model, below: number): Promise<void> {
  for (; model.earliest < below; model.earliest++) {
    const gone = model.blocks.get(model.earliest) ?? [];
    await files.forget(gone.map(({ chunkId }) => chunkId));
    for (const chunk of gone) model.pruned.set(toHex(chunk.chunkId), chunk);
    model.blocks.delete(model.earliest);
  }
  await files.removeBelow(model.earliest);
}

/** Bytes of a record that never came whole, behind the newest file. */
function tear({ disk }: Machine): void {
  const newest = disk.paths().at(-1);
  const bytes = newest && disk.contents(newest);
  if (bytes) disk.replaceContents(newest, new Uint8Array([...bytes, ...bytes.subarray(56, 60), 1, 2, 3]));
}

test('after any sequence of puts, prunes, truncations and openings exactly the retained chunks are there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), fc.string(), async (steps, seed) => {
      const machine = newMachine(seed);
      const model: Model = { blocks: new Map(), pruned: new Map(), height: 0, earliest: 1 };
      const openHere = (at: number) => open(machine, { segmentBytesMax: SEGMENT_BYTES_MAX }, `${seed}/${at}`);
      let files = await openHere(-1);
      for (const [at, next] of steps.entries()) {
        switch (next.type) {
          case 'put': {
            const chunks = next.sizes.map((bytes, i) => chunkOf(at * 10 + i, 4 + bytes));
            model.blocks.set(++model.height, chunks);
            await files.put(model.height, chunks);
            break;
          }
          case 'put again': {
            const height = model.earliest + Math.floor(((model.height - model.earliest) * next.share) / 100);
            await files.put(height, model.blocks.get(height) ?? []);
            break;
          }
          case 'prune':
            await prune(files, model, Math.floor((model.height * next.share) / 100));
            break;
          case 'reopen':
            await files.close();
            files = await openHere(at);
            break;
          case 'tear':
            await files.close();
            tear(machine);
            files = await openHere(at);
            break;
          case 'crash':
            machine.disk.crash(next.mode);
            machine.index.crash(next.mode);
            files = await openHere(at);
            break;
        }
      }
      await compare(files, model);
      const needed = [...model.blocks.values()].flat().reduce((sum, { bytes }) => sum + bytes.length + 61, 0);
      await prune(files, model, model.earliest);
      const held = machine.disk.paths().reduce((sum, path) => sum + (machine.disk.contents(path)?.length ?? 0), 0);
      expect(held).toBeLessThanOrEqual(needed + 3 * (SEGMENT_BYTES_MAX + 4 * 365) + 64 * machine.disk.paths().length);
      expect(machine.logged.filter((line) => !line.includes('torn tail'))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
