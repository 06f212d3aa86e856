/** Power cuts at any call on the disk, again and again: what was stored stays, and is written once. */
import { bytesEqual, toHex } from '@slipstream/primitives';
import { CRASH_MODES, type CrashAgain, crashAgainAndAgain, type NodeWorld } from '@slipstream/simulator';
import { expect, test } from 'vitest';
import { openChunkFiles } from '../src/index.ts';
import { blockOf, directory, genesisHash, recordingTelemetry } from './builders.ts';

const LAST_HEIGHT = 40;
const KEPT_HEIGHTS = 12;

/** What the outside saw of all processes of the node. */
interface Outside {
  /** The highest height whose put returned. */
  kept: number;
  earliest: number;
  readonly logged: string[];
  finished: boolean;
}

/** The commit and retention of a node in little. A node executes the last few blocks again, so they are put again. */
async function run({ disk, random, lifetime, keyValue }: NodeWorld, outside: Outside): Promise<void> {
  const files = await openChunkFiles(
    { disk, random, index: keyValue('chunks'), telemetry: recordingTelemetry(outside.logged) },
    { directory, genesisHash, segmentBytesMax: 700 },
  );
  for (let height = outside.earliest; height <= LAST_HEIGHT; height++) {
    for (const { chunkId, bytes } of blockOf(height)) {
      const found = await files.get(chunkId);
      if (!lifetime.alive) return;
      if (height <= outside.kept) expect([height, found && toHex(found)]).toEqual([height, toHex(bytes)]);
      else expect(found === undefined || bytesEqual(found, bytes)).toBe(true);
    }
  }
  for (let height = Math.max(outside.earliest, outside.kept - 1); height <= LAST_HEIGHT; height++) {
    await files.put(height, blockOf(height));
    if (!lifetime.alive) return;
    outside.kept = Math.max(outside.kept, height);
    const old = height - KEPT_HEIGHTS;
    if (old < outside.earliest) continue;
    outside.earliest = old + 1;
    await files.forget(blockOf(old).map(({ chunkId }) => chunkId));
    await files.removeBelow(old + 1);
    if (!lifetime.alive) return;
  }
  outside.finished = true;
}

test.each([...CRASH_MODES, 'any of them'] as const)(
  'a power cut at any call (%s) loses no durable chunk and restores no pruned one',
  async (mode) => {
    for (let seed = 0; seed < 20; seed++) await playThrough(seed, mode);
  },
);

async function playThrough(seed: number, mode: CrashAgain['mode']): Promise<void> {
  const outside: Outside = { kept: 0, earliest: 1, logged: [], finished: false };
  const node = await crashAgainAndAgain({
    seed,
    mode,
    stepsMax: 400,
    work: (world) => run(world, outside),
    isFinished: () => outside.finished,
  });
  expect(outside.logged.filter((line) => !line.includes('torn tail'))).toEqual([]);
  expect(node.disk.paths().length).toBeLessThanOrEqual(8);
}
