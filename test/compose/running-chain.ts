/** A project of docker-compose.yml: built, up, and removed at the end of the test file. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@slipstream/client';
import { freePortRange } from '@slipstream/devnet';
import { openProject, type Project } from './engine.ts';

const VALIDATORS = 4;
export const SERVICES: readonly (readonly [service: string, number: number])[] = [
  ...Array.from({ length: VALIDATORS }, (_, index) => ['validator', index + 1] as const),
  ['full-node', 1],
];
const WAIT_MS_MAX = 180_000;
const ASK_MS = 1_000;

export interface RunningChain {
  readonly project: Project;
  /** Published port. */
  readonly url: string;
  readonly client: Client;
  /** By each container's health check. */
  allHealthy(): Promise<void>;
  finalFrom(height: number): Promise<number>;
  remove(): Promise<void>;
}

/** `name` distinguishes projects of test files. */
export async function startChain(name: string): Promise<RunningChain> {
  const port = await freePortRange(1);
  const url = `http://127.0.0.1:${port}`;
  const project = await openProject(`slipstream-${name}-${process.pid}`, { SLIPSTREAM_PORT: String(port) });
  const client = createClient({ url });
  await project.compose('build');
  await project.compose('up', '-d');

  return {
    project,
    url,
    client,
    async allHealthy() {
      for (const [service, number] of SERVICES) {
        const container = await project.container(service, number);
        await eventually(`${container} is healthy`, async () =>
          (await project.inspect(container, '{{.State.Health.Status}}')) === 'healthy' ? true : undefined,
        );
      }
    },
    finalFrom: (height) =>
      eventually(`a final block at ${height}`, async () => {
        const { finalHeight } = await client.status();
        return finalHeight >= height ? finalHeight : undefined;
      }),
    async remove() {
      await project.compose('down', '--volumes', '--timeout', '10');
    },
  };
}

/** When it never answers, the last error of `ask` is the cause. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadlineMs = performance.now() + WAIT_MS_MAX;
  let failure: unknown;
  while (performance.now() < deadlineMs) {
    const answer = await ask().catch((error: unknown) => {
      failure = error;
      return undefined;
    });
    if (answer !== undefined) return answer;
    await sleep(ASK_MS);
  }
  throw new Error(`not within ${WAIT_MS_MAX / 1000} s: ${what}`, { cause: failure });
}
