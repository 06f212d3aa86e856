/**
 * npm run bench -- NAME [--smoke] [--json] [--record] [--html FOLDER] [--inputs N]: one bench of docs/performance/README.md; without a name, or
 * with `all`, every one; with `computing` or `real-time`, those of this kind.
 * NAME:PART runs one part of a bench that has parts.
 *
 * Both sides of a comparison are measured in one run. --smoke proves that the bench runs, with too few samples to quote. --record writes
 * the results to docs/performance/README.md. --html writes FOLDER/NAME.html with charts. --inputs is for `application`: random inputs of
 * each example.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Chart } from '@slipstream/app-loadgen';
import { type BenchOptions, type Claim, claim } from './bench/claim.ts';
import { goalOf, goalText, verdictOf } from './bench/goals.ts';
import { writeBenchHtml } from './bench/html.ts';
import { record } from './bench/record.ts';
import { endWithStarter } from './end-with-starter.ts';
import { print, warn } from './print.ts';

interface Bench {
  readonly run: (options: BenchOptions) => Promise<readonly Claim[]>;
  readonly parts?: readonly string[];
}

type Benches = Readonly<Record<string, () => Promise<Bench>>>;

/** With --smoke these only compute, in this process: other work on the machine slows them, and does no more. */
const COMPUTING: Benches = {
  quorum: () => import('../packages/crypto/bench/quorum.ts'),
  batch: () => import('./bench/batch.ts'),
  epochs: () => import('./bench/epochs.ts'),
  'distilled-core': () => import('../packages/distilled/bench/core.ts'),
  signing: () => import('./bench/signing.ts'),
  cache: () => import('../packages/crypto/bench/cache.ts'),
  wal: () => import('./bench/wal.ts'),
  calibration: () => import('./bench/calibration.ts'),
  state: () => import('../packages/state/bench/state.ts'),
  'state-tree': () => import('./bench/state-tree.ts'),
  application: () => import('./bench/application.ts'),
  geo: () => import('./bench/geo.ts'),
  disruption: () => import('./bench/disruption.ts'),
};

/** These start nodes, servers or a browser, which have limits in real time. */
const REAL_TIME: Benches = {
  zaptos: () => import('./bench/zaptos.ts'),
  throughput: () => import('./bench/throughput.ts'),
  'throughput-distilled': () => import('./bench/throughput-distilled.ts'),
  costs: () => import('./bench/costs.ts'),
  capacity: () => import('./bench/capacity.ts'),
  'catch-up': () => import('./bench/catch-up.ts'),
  'sessions-node': () => import('./bench/sessions-node.ts'),
  submission: () => import('./bench/submission.ts'),
  sync: () => import('./bench/sync.ts'),
  idle: () => import('./bench/idle.ts'),
  'dead-leaders': () => import('./bench/dead-leaders.ts'),
  start: () => import('./bench/start.ts'),
  'buffered-chain': () => import('./bench/buffered-chain.ts'),
  vryx: () => import('./bench/vryx.ts'),
  console: () => import('./bench/console.ts'),
  'follower-tab': () => import('./bench/follower-tab.ts'),
};

const BENCHES: Benches = { ...COMPUTING, ...REAL_TIME };

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  all: Object.keys(BENCHES),
  computing: Object.keys(COMPUTING),
  'real-time': Object.keys(REAL_TIME),
};

const USAGE = `npm run bench -- [${[...Object.keys(BENCHES), ...Object.keys(GROUPS)].join(' | ')}][:PART] [--smoke] [--json] [--record] [--html FOLDER] [--inputs N]`;

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

function machine(): string {
  const processors = cpus();
  return `${processors.length} x ${processors[0]?.model ?? 'unknown'}, Node ${process.versions.node}`;
}

const FLAG = { type: 'boolean', default: false } as const;
const OPTIONS = {
  smoke: FLAG,
  json: FLAG,
  record: FLAG,
  help: FLAG,
  html: { type: 'string' },
  inputs: { type: 'string' },
} as const;

interface Wish {
  readonly names: readonly string[];
  readonly smoke: boolean;
  readonly json: boolean;
  readonly record: boolean;
  /** Folder of the HTML reports. */
  readonly html?: string | undefined;
  readonly inputs?: number | undefined;
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const wish = parse(args);
    const about = { commit: commit(), machine: machine() };
    for (const name of wish.names) await measure(name, wish, about);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    warn(error.message);
    return error.exitCode;
  }
}

class UsageError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Throws UsageError. */
function parse(args: readonly string[]): Wish {
  const { values, positionals } = parsed(args);
  if (values.help) throw new UsageError(USAGE, 0);
  const wanted = positionals.length === 0 ? ['all'] : positionals;
  const names = [...new Set(wanted.flatMap((name) => GROUPS[name] ?? [name]))];
  const unknown = names.filter((name) => !Object.hasOwn(BENCHES, partsOf(name).bench));
  if (unknown.length > 0) throw new UsageError(`unknown: ${unknown.join(', ')}\n${USAGE}`);
  if (values.smoke && values.record)
    throw new UsageError('a smoke run is not to be quoted: --record it without --smoke');
  if (values.record && names.some((name) => partsOf(name).part !== undefined))
    throw new UsageError('a part is not recorded: its section would lose the others');
  return { names, ...values, inputs: inputsOf(values.inputs) };
}

function inputsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const inputs = Number(text);
  if (!Number.isSafeInteger(inputs) || inputs < 1)
    throw new UsageError(`--inputs is a whole number from 1, not ${text}`);
  return inputs;
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}

async function measure(
  name: string,
  { smoke, json, record: isRecorded, html, inputs }: Wish,
  about: { readonly commit: string; readonly machine: string },
): Promise<void> {
  print(`bench ${name}${smoke ? ' (smoke: too few samples to quote)' : ''}, ${about.machine}`);
  const { bench, part } = partsOf(name);
  const { run, parts = [] } = await (BENCHES[bench] as (typeof BENCHES)[string])();
  if (part !== undefined && !parts.includes(part))
    throw new UsageError(`${bench} has ${parts.length === 0 ? 'no parts' : `the parts ${parts.join(', ')}`}`);
  const charts: Chart[] = [];
  const measured = await run({ smoke, part, inputs, draw: (chart) => void charts.push(chart) });
  const claims = measured.map((one) => claim(one.name, one.value, one.unit, one.samples));
  if (claims.length === 0) throw new Error(`bench ${name} measured nothing`);
  const result = { bench: name, ...about, date: new Date().toISOString().slice(0, 10), claims };
  if (isRecorded) await record(result);
  if (json) print(JSON.stringify({ bench: name, ...about, claims }));
  else for (const one of claims) print(lineOf(bench, one, smoke));
  if (html !== undefined) print(`  charts: ${await writeBenchHtml(html, { ...result, charts, isSmoke: smoke })}`);
}

function partsOf(name: string): { readonly bench: string; readonly part: string | undefined } {
  const [bench = '', part] = name.split(':', 2);
  return { bench, part };
}

function lineOf(bench: string, { name, value, unit, samples }: Claim, smoke: boolean): string {
  const goal = goalOf(bench, name);
  const bar = smoke || goal === undefined ? '' : `; goal ${goalText(goal)}: ${verdictOf(goal, value)}`;
  return `  ${name} ${value} ${unit} (${samples} samples)${bar}`;
}

endWithStarter();
process.exitCode = await main(process.argv.slice(2));
