import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Runs a process that kills itself; returns the last number that it reported as durable. */
export async function liveInProcess(module: string, root: string, death: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, module), root, ...death], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return Number(said.trim().split('\n').at(-1) ?? 0);
}
