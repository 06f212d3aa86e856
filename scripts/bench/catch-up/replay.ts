/** One replay: a full node with an empty folder fetches, verifies and executes a chain of blocks. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseMetrics, readProcess, readThreads, type ThreadUse } from '@slipstream/app-loadgen';
import type { ClusterNode } from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';
import { threadOf } from '../costs/use.ts';
import type { Progress } from './rates.ts';

export interface Replay {
  /** From the first answer of its API on, before it asks for the first block. */
  readonly readings: readonly Progress[];
  /** Processor seconds from the first answer of its API to the last block, by thread. */
  readonly threads: ReadonlyMap<string, number>;
  /** Ed25519 checks in all. */
  readonly verified: number;
  /** The most of all readings. */
  readonly memoryBytes: number;
}

const POLL_MS = 25;
const WAIT_MS_MAX = 600_000;

/** The node updates its gauges every few seconds. */
const GAUGE_MS_MAX = 20_000;

/** `signatures`: what the node has to verify at least. */
export async function replay(node: ClusterNode, upTo: number, signatures: number): Promise<Replay> {
  await node.process.stop();
  await rm(join(node.home, HOME.data), { recursive: true, force: true });
  node.process.start();
  try {
    const readings: Progress[] = [];
    let memoryBytes = 0;
    let begin: readonly ThreadUse[] | undefined;
    const deadline = performance.now() + WAIT_MS_MAX;
    for (let height: number | undefined; height === undefined || height < upTo; ) {
      if (performance.now() > deadline)
        throw new Error(`${node.name} is at height ${height ?? 0} of ${upTo} after ten minutes`);
      if (!node.process.running) throw new Error(`${node.name} ended while it caught up: ${node.process.logFile}`);
      height = await committedHeight(node);
      const pid = node.process.pid ?? 0;
      if (height !== undefined) {
        readings.push({ atMs: performance.now(), height });
        begin ??= await readThreads(pid);
      }
      memoryBytes = Math.max(memoryBytes, (await readProcess(pid))?.memoryBytes ?? 0);
      await sleep(POLL_MS);
    }
    const threads = usedBetween(begin ?? [], await readThreads(node.process.pid ?? 0));
    return { readings, threads, verified: await verifiedBy(node, signatures), memoryBytes };
  } finally {
    await node.process.stop();
  }
}

async function verifiedBy({ url }: ClusterNode, signatures: number): Promise<number> {
  const deadline = performance.now() + GAUGE_MS_MAX;
  for (;;) {
    const metrics = parseMetrics(await (await fetch(`${url}/metrics`)).text());
    const verified = metrics.get('slipstream_verifier_account_signatures') ?? 0;
    if (verified >= signatures || performance.now() > deadline) return verified;
    await sleep(POLL_MS);
  }
}

/** Undefined while the API does not answer. */
async function committedHeight({ client }: ClusterNode): Promise<number | undefined> {
  return client.status().then(
    ({ height }) => height,
    () => undefined,
  );
}

function usedBetween(before: readonly ThreadUse[], after: readonly ThreadUse[]): ReadonlyMap<string, number> {
  const used = new Map<string, number>();
  const add = ({ name, cpuSeconds }: ThreadUse, sign: number) => {
    const thread = threadOf(name);
    used.set(thread, (used.get(thread) ?? 0) + sign * cpuSeconds);
  };
  for (const each of after) add(each, 1);
  for (const each of before) add(each, -1);
  return used;
}
