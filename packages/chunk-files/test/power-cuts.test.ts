/** Power cuts at any call on the disk, again and again: what was kept stays, and is written once. */
import { bytesEqual, toHex } from '@slipstream/primitives';
import {
  CRASH_MODES,
  type CrashMode,
  createSimNetwork,
  createSimNode,
  createSimulation,
  type NodeWorld,
} from '@slipstream/simulator';
import { expect, test } from 'vitest';
import { openChunkFiles } from '../src/index.ts';
import { blockOf, directory, genesisHash, telling } from './builders.ts';

const LAST_HEIGHT = 40;
const KEPT_HEIGHTS = 12;
/** A run that is crashed again before it gets anywhere would never end. */
const CRASHES_MAX = 2_000;

/** What the outside saw of all processes of the node. */
interface Outside {
  /** The highest height whose put returned. */
  kept: number;
  earliest: number;
  readonly told: string[];
  finished: boolean;
}

/** The commit and retention of a node in little. A node executes the last few blocks again, so they are put again. */
async function run({ disk, random, lifetime, keyValue }: NodeWorld, outside: Outside): Promise<void> {
  const files = await openChunkFiles(
    { disk, random, index: keyValue('chunks'), telemetry: telling(outside.told) },
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
  'a power cut at any call (%s): nothing that was kept is lost, nothing that is pruned stays',
  async (mode) => {
    for (let seed = 0; seed < 20; seed++) await crashAgainAndAgain(seed, mode);
  },
);

async function crashAgainAndAgain(seed: number, mode: CrashMode | 'any of them'): Promise<void> {
  const simulation = createSimulation({ seed: `${seed}/${mode}` });
  const outside: Outside = { kept: 0, earliest: 1, told: [], finished: false };
  const node = createSimNode(simulation, {
    peer: 'a'.repeat(64) as NodeWorld['peer'],
    network: createSimNetwork(simulation),
    factory: (world) => run(world, outside),
    diskLatencyMs: () => 1,
  });
  const random = simulation.random('crashes');
  let stepsMax = 1 + (seed % 25);
  for (let crashes = 0; !outside.finished; crashes++) {
    expect(crashes).toBeLessThan(CRASHES_MAX);
    node.start();
    await simulation.run({ stepsMax, until: () => outside.finished });
    expect(node.exitReason).toBeUndefined();
    if (!outside.finished) node.crash(mode === 'any of them' ? random.pick(CRASH_MODES) : mode);
    stepsMax = 1 + random.below(400);
  }
  expect(outside.told.filter((line) => !line.includes('torn tail'))).toEqual([]);
  expect(node.disk.paths().length).toBeLessThanOrEqual(8);
}
