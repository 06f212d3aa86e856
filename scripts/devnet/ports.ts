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

/** The first of `count` ports in a row that are free now. */
export async function freePortRange(count: number): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const base = SEARCH_FROM + Math.floor(Math.random() * (SEARCH_TO - SEARCH_FROM - count));
    const range = Array.from({ length: count }, (_, index) => base + index);
    if ((await takenPorts(range)).length === 0) return base;
  }
  throw new Error(`found no ${count} free ports in a row between ${SEARCH_FROM} and ${SEARCH_TO}`);
}
