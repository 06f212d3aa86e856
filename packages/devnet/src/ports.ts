/** Ports on the loopback interface. */
import { createServer } from 'node:net';

const HOST = '127.0.0.1';

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

/** Those on which a process listens. */
export async function takenPorts(ports: readonly number[]): Promise<readonly number[]> {
  const free = await Promise.all(ports.map(isFree));
  return ports.filter((_, index) => free[index] === false);
}

/** Above the ports of services, below those that the system assigns (Linux: from 32768). */
const SEARCH_FROM = 20_000;
const SEARCH_TO = 32_000;
const ATTEMPTS_MAX = 50;
/** Concurrent test files search different parts, because nodes take their ports later than the search. */
const PARTS = 8;
const PART_PORTS = (SEARCH_TO - SEARCH_FROM) / PARTS;
/** Where the next search starts: earlier results may still be free, but are promised. */
let next = Math.floor(Math.random() * PART_PORTS);

/** The first of `count` consecutive free ports; never one that this process returned before. */
export async function freePortRange(count: number): Promise<number> {
  const from = SEARCH_FROM + (Number(process.env.VITEST_POOL_ID ?? 0) % PARTS) * PART_PORTS;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (next + count > PART_PORTS) next = 0;
    const base = from + next;
    next += count;
    const range = Array.from({ length: count }, (_, index) => base + index);
    if ((await takenPorts(range)).length === 0) return base;
  }
  throw new Error(`found no ${count} free ports in a row between ${from} and ${from + PART_PORTS}`);
}
