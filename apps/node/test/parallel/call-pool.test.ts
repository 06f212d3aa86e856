import { encodeArtifact } from '@slipstream/app-realm';
import { createParallelCalls } from '@slipstream/execution';
import { createClock } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  builtApplication,
  freshApplications,
  type TestApplication,
} from '../../../../packages/execution/test/application-builders.ts';
import { type Chain, chain, genesis, transaction } from '../../../../packages/execution/test/builders.ts';
import { type CallPool, createCallPool } from '../../src/parallel/call-pool.ts';

let beside: TestApplication;
let troubles: TestApplication;

beforeAll(async () => {
  const source = '../../../../packages/execution/test/applications/beside.ts';
  beside = await builtApplication(new URL(source, import.meta.url));
  troubles = await builtApplication(new URL(source.replace('beside', 'troubles'), import.meta.url));
});

function poolOf(artifacts: readonly Uint8Array[]) {
  const counts = new Map<string, number>();
  const count = (name: string, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by);
  const pool = createCallPool({ clock: createClock(), telemetry: { ...silentTelemetry, count } }, 1);
  for (const artifact of artifacts) pool.add(artifact);
  onTestFinished(pool.stop);
  return { pool, counts };
}

function start(pool?: CallPool): Chain {
  const begin = { ...genesis({ 1: 1_000n }), applications: [beside.inGenesis({ first: 7 })] };
  return chain(begin, freshApplications([beside]), pool && createParallelCalls(pool));
}

const mix = (number: number) =>
  transaction({ actions: [beside.call('mix', { from: number, to: number + 100, rounds: 8_000 })] });

/** Until its threads have run calls; blocks then give what one thread gives. */
async function takesCalls(pool: ReturnType<typeof poolOf>['pool'], counts: ReadonlyMap<string, number>): Promise<void> {
  const [one, other] = [start(pool), start()];
  const taken = () => {
    const block = Array.from({ length: 60 }, (_, i) => mix(i));
    expect(one.execute(block)).toEqual(other.execute(block));
    return counts.get('node_calls_taken') ?? 0;
  };
  await expect.poll(taken, { timeout: 30_000 }).toBeGreaterThan(0);
}

it('threads run calls of a block, whose receipts and writes are those of one thread', async () => {
  const { pool, counts } = poolOf([beside.artifact]);
  await expect.poll(() => pool.count, { timeout: 30_000 }).toBe(1);
  await takesCalls(pool, counts);
});

it('threads start with the first artifact that has a parallel action, and run one that comes later', async () => {
  const { pool, counts } = poolOf([troubles.artifact]);
  expect(pool.count).toBe(0);
  pool.add(beside.artifact);
  await expect.poll(() => pool.count, { timeout: 30_000 }).toBe(1);
  pool.add(troubles.artifact);
  await takesCalls(pool, counts);
});

it('threads that cannot start cost nothing but their place', async () => {
  const { pool, counts } = poolOf([encodeArtifact({ manifest: beside.manifest, script: 'no script' })]);
  await expect.poll(() => counts.get('node_call_workers_lost') ?? 0, { timeout: 30_000 }).toBeGreaterThan(1);
  expect(pool.count).toBe(0);
  const [one, other] = [start(pool), start()];
  const block = [mix(1), mix(2)];
  expect(one.execute(block)).toEqual(other.execute(block));
});
