/** A network of real processes in a temporary folder, on free ports. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, type ClusterOptions, createCluster } from './cluster.ts';
import { freePortRange } from './ports.ts';

export interface TemporaryNetwork extends Cluster {
  /** Stops all processes, and removes the folder. */
  remove(): Promise<void>;
}

type Shape = Partial<Omit<ClusterOptions, 'folder' | 'basePort' | 'apiPort'>>;

/** Not started yet. */
export async function temporaryNetwork(shape: Shape = {}): Promise<TemporaryNetwork> {
  const folder = await temporaryFolder();
  const { validators = 4, fullNodes = 0 } = shape;
  const count = validators + fullNodes;
  const basePort = await freePortRange(2 * count);
  const cluster = await createCluster({ ...shape, folder, validators, fullNodes, basePort, apiPort: basePort + count });
  return {
    ...cluster,
    async remove() {
      await cluster.stop();
      await removeFolder(folder);
    },
  };
}

export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'slipstream-network-'));
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

const POLL_MS = 100;

/** The first value that is not undefined. Throws after `timeoutMs`, with `what` in the message. */
export async function eventually<T>(what: string, timeoutMs: number, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const value = await ask();
      if (value !== undefined) return value;
    } catch (error) {
      last = error;
    }
    await sleep(POLL_MS);
  }
  const reason = last === undefined ? '' : ` (last: ${last instanceof Error ? last.message : String(last)})`;
  throw new Error(`not within ${timeoutMs / 1000} s: ${what}${reason}`);
}

/** Committed heights, in the order of the nodes. */
export function heightsOf({ nodes }: Cluster): Promise<readonly number[]> {
  return Promise.all(nodes.map(async ({ client }) => (await client.status()).height));
}

export async function untilHeight(cluster: Cluster, height: number, timeoutMs = 30_000): Promise<void> {
  await eventually(`every node at height ${height}`, timeoutMs, async () =>
    Math.min(...(await heightsOf(cluster))) >= height ? true : undefined,
  );
}
