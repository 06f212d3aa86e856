/**
 * The `start` bench: a validator that is a chain of its own, from its process's start until /readyz answers 200.
 *
 *   first start (the compile cache fills) --> stop --> start, ready: processor time of the process, seconds --> stop ...
 *
 * Processor time counts all threads of the process, those of V8 too. The time until ready also depends on other work of the machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcess, readThreads, type ThreadUse } from '@slipstream/app-loadgen';
import { bundleEntry, root } from '@slipstream/checkout';
import { type ClusterNode, createCluster, freePortRange } from '@slipstream/devnet';
import { type BenchOptions, type Claim, claim, median, printTable } from './claim.ts';

const FULL = { starts: 20 };
const SMOKE = { starts: 2 };
const ASK_MS = 5;

interface Start {
  readonly cpuSeconds: number;
  readonly readySeconds: number;
  readonly threads: readonly ThreadUse[];
}

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const { starts } = smoke ? SMOKE : FULL;
  if (bundleEntry(root) === undefined) throw new Error('there is no bundle of these sources: run "npm run setup"');
  const measured = await startsOfOneValidator(starts);
  const names = [...new Set(measured.flatMap(({ threads }) => threads.map(({ name }) => name)))];
  printTable(
    `processor time of a start by thread, p50 of ${starts}`,
    ['thread', 's'],
    names.map((name) => [name, median(measured.map(({ threads }) => secondsOf(threads, name)))]),
  );
  return [
    claim('cpu_seconds', median(measured.map(({ cpuSeconds }) => cpuSeconds)), 's', starts),
    claim('ready_seconds', median(measured.map(({ readySeconds }) => readySeconds)), 's', starts),
  ];
}

async function startsOfOneValidator(starts: number): Promise<readonly Start[]> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-start-'));
  const basePort = await freePortRange(2);
  const cluster = await createCluster({ folder, validators: 1, fullNodes: 0, basePort, apiPort: basePort + 1 });
  try {
    await cluster.start();
    await cluster.stop();
    const measured: Start[] = [];
    while (measured.length < starts) {
      measured.push(await startOnce(cluster.nodes[0] as ClusterNode));
      await cluster.stop();
    }
    return measured;
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function startOnce({ name, url, process }: ClusterNode): Promise<Start> {
  const startedMs = performance.now();
  process.start();
  while (!(await isReady(url))) {
    if (!process.running) throw new Error(`${name} ended before it was ready: ${process.logFile}`);
    await sleep(ASK_MS);
  }
  const readySeconds = (performance.now() - startedMs) / 1000;
  const pid = process.pid ?? 0;
  const [use, threads] = await Promise.all([readProcess(pid), readThreads(pid)]);
  if (use === undefined) throw new Error(`${name} ended while it was measured`);
  return { cpuSeconds: use.cpuSeconds, readySeconds, threads };
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

function secondsOf(threads: readonly ThreadUse[], name: string): number {
  return threads.find((thread) => thread.name === name)?.cpuSeconds ?? 0;
}
