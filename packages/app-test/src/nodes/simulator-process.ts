/**
 * The checkout's simulator of nodes (scripts/sim.ts), in a process of its own, playing an application.
 *
 *   file, genesis, inputs --> application:FILE=GENESIS=INPUTS --> a run for each seed, on all cores --> lines, one report
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { TestError } from '../errors.ts';

export interface NodeRuns {
  /** Absolute, as the others. */
  readonly file: string;
  /** JSON file of the genesis function's input. Default: {}. */
  readonly genesis?: string | undefined;
  /** Module whose default export draws inputs of actions, by name. Default: all are drawn by their forms. */
  readonly inputs?: string | undefined;
  readonly nodes: number;
  readonly seeds: number;
  readonly firstSeed: number;
}

type Outcomes = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface FailedRun {
  readonly seed: number;
  readonly failure: string;
  /** Command that prints the run's views. */
  readonly replay: string;
}

export interface NodeReport {
  readonly seeds: number;
  readonly views: number;
  /** How often final calls of each action ended how: `success`, or the code of their failure. */
  readonly outcomes: Outcomes;
  readonly failures: number;
  readonly failed: readonly FailedRun[];
}

interface Watching {
  /** What people read, and at last the report as JSON. */
  readonly line: (text: string) => void;
  /** Ends the process. */
  readonly signal?: AbortSignal | undefined;
}

const SIMULATOR = join(root, 'scripts/sim.ts');

/**
 * Rejects with TestError `simulator-missing` outside of a checkout, `simulator-stopped` where it ends without a report, `path-unusable`.
 */
export async function playOnNodes(runs: NodeRuns, { line, signal }: Watching): Promise<NodeReport> {
  const words = wordsOf(runs);
  if (!existsSync(SIMULATOR)) {
    const message = 'simulated nodes are in a checkout of the sources alone: run this there';
    throw new TestError('simulator-missing', message, {});
  }
  const program = ['--disable-warning=ExperimentalWarning', SIMULATOR, ...words, '--no-shrink', '--json'];
  const child = spawn(process.execPath, program, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], signal });
  child.on('error', () => {}); // an abort: its end says so
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const complete = (rest + text).split('\n');
    rest = complete.pop() ?? '';
    for (const each of complete) line(each);
    lines.splice(0, lines.length, ...[...lines, ...complete].slice(-1));
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  const last = lines.at(-1) ?? '';
  if (!last.startsWith('{')) {
    const message = `the simulator ended with ${code ?? 'a signal'} and without a report; what it printed says why`;
    throw new TestError('simulator-stopped', message, { code });
  }
  return JSON.parse(last) as NodeReport;
}

function wordsOf({ file, genesis, inputs, nodes, seeds, firstSeed }: NodeRuns): readonly string[] {
  const paths = [file, genesis ?? '', inputs ?? ''];
  for (const path of paths) {
    if (!/[,=]/.test(path)) continue;
    throw new TestError('path-unusable', `${path}: a path with "," or "=" cannot be simulated: move it`, { path });
  }
  const named = paths.join('=').replace(/=+$/, '');
  const numbers = { nodes, seeds, 'first-seed': firstSeed };
  return ['--scenario', `application:${named}`, ...Object.entries(numbers).flatMap(([n, v]) => [`--${n}`, String(v)])];
}
