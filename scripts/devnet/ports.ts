/** Ports on the loopback interface: which are free, and who to blame when one is not. */
import { createServer } from 'node:net';

const HOST = '127.0.0.1';

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

/** Those of the ports that something listens on. */
export async function takenPorts(ports: readonly number[]): Promise<readonly number[]> {
  const free = await Promise.all(ports.map(isFree));
  return ports.filter((_, index) => free[index] === false);
}

/** Above what services use, below what the system hands out by itself (Linux: from 32768). */
const SEARCH_FROM = 20_000;
const SEARCH_TO = 32_000;
const ATTEMPTS_MAX = 50;
/** Test files that run side by side search a part each: ports are taken when nodes start, some time after the search. */
const PARTS = 8;
const PART_PORTS = (SEARCH_TO - SEARCH_FROM) / PARTS;
/** Where in its part this process goes on: what it was given before may still be free, and is promised. */
let next = Math.floor(Math.random() * PART_PORTS);

/** The first of `count` ports in a row that are free now, and were not given to this process before. */
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
