/** Plays an application on simulated nodes: the checkout's simulation (scripts/sim.ts) in a process of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import type { Terminal } from '@slipstream/command-line';
import { NodeError } from '../../errors.ts';

interface Simulation {
  /** Absolute. */
  readonly file: string;
  /** JSON file of the genesis function's input, absolute; undefined: {}. */
  readonly genesis: string | undefined;
  readonly nodes: number;
  readonly seeds: number;
  readonly firstSeed: number;
  readonly json: boolean;
}

/** Passes on what it prints. Returns its exit code. Throws NodeError `usage` for a path with one of its separators. */
export async function simulateNodes(simulation: Simulation, { out, onSignals }: Pick<Terminal, 'out' | 'onSignals'>) {
  const { file, genesis, nodes, seeds, firstSeed, json } = simulation;
  const named = genesis === undefined ? file : `${file}=${genesis}`;
  if (/,|=.*=/.test(named))
    throw new NodeError('usage', `${named}: a path with "," or "=" cannot be simulated: move it`);
  const numbers = ['--nodes', String(nodes), '--seeds', String(seeds), '--first-seed', String(firstSeed)];
  const words = ['--scenario', `application:${named}`, ...numbers, '--no-shrink', ...(json ? ['--json'] : [])];
  const program = ['--disable-warning=ExperimentalWarning', join(root, 'scripts/sim.ts')];
  const child = spawn(process.execPath, [...program, ...words], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const release = onSignals(() => child.kill());
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const shown = json ? lines.filter((line) => line.startsWith('{')) : lines;
    if (shown.length > 0) out(shown.join('\n'));
  });
  const code = await new Promise<number>((done) => child.once('close', (ended) => done(ended ?? 1)));
  release();
  return code;
}
