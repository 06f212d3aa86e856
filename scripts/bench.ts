/**
 * npm run bench -- NAME [--smoke] [--json] [--record]: one bench of docs/performance/README.md; without a name, or with `all`, every one.
 * NAME:PART runs one part of a bench that has parts.
 *
 * Both sides of a comparison are measured in one run. --smoke proves that the bench runs, with too few samples to quote. --record writes
 * the results to docs/performance/README.md.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { type BenchOptions, type Claim, claim } from './bench/claim.ts';
import { GOALS, goalText, verdictOf } from './bench/goals.ts';
import { record } from './bench/record.ts';
import { endWithStarter } from './end-with-starter.ts';
import { print, warn } from './print.ts';

interface Bench {
  readonly run: (options: BenchOptions) => Promise<readonly Claim[]>;
  readonly parts?: readonly string[];
}

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  quorum: () => import('../packages/crypto/bench/quorum.ts'),
  batch: () => import('../packages/crypto/bench/batch.ts'),
  cache: () => import('../packages/crypto/bench/cache.ts'),
  wal: () => import('./bench/wal.ts'),
  state: () => import('../packages/state/bench/state.ts'),
  geo: () => import('./bench/geo.ts'),
  pipeline: () => import('./bench/pipeline.ts'),
  'pipeline-links': () => import('./bench/pipeline-links.ts'),
  throughput: () => import('./bench/throughput.ts'),
  submission: () => import('./bench/submission.ts'),
  sync: () => import('./bench/sync.ts'),
  idle: () => import('./bench/idle.ts'),
  start: () => import('./bench/start.ts'),
  console: () => import('./bench/console.ts'),
};

const USAGE = `npm run bench -- [${Object.keys(BENCHES).join(' | ')} | all][:PART] [--smoke] [--json] [--record]`;

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

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const flags = new Set(args.filter((arg) => arg.startsWith('--')));
  const unknown = names.filter((name) => name !== 'all' && !Object.hasOwn(BENCHES, partsOf(name).bench));
  const strange = [...flags].filter((flag) => !['--smoke', '--json', '--record', '--help'].includes(flag));
  if (unknown.length + strange.length > 0 || flags.has('--help')) {
    if (unknown.length + strange.length > 0) warn(`unknown: ${[...unknown, ...strange].join(', ')}`);
    warn(USAGE);
    return flags.has('--help') ? 0 : 2;
  }
  const chosen = names.length === 0 || names.includes('all') ? Object.keys(BENCHES) : names;
  if (flags.has('--smoke') && flags.has('--record')) {
    warn('a smoke run is not to be quoted: --record it without --smoke');
    return 2;
  }
  if (flags.has('--record') && names.some((name) => partsOf(name).part !== undefined)) {
    warn('a part is not recorded: its section would lose the others');
    return 2;
  }
  const about = { commit: commit(), machine: machine() };
  for (const name of chosen) {
    print(`bench ${name}${flags.has('--smoke') ? ' (smoke: too few samples to quote)' : ''}, ${about.machine}`);
    const { bench, part } = partsOf(name);
    const { run, parts = [] } = await (BENCHES[bench] as (typeof BENCHES)[string])();
    if (part !== undefined && !parts.includes(part)) {
      warn(`${bench} has ${parts.length === 0 ? 'no parts' : `the parts ${parts.join(', ')}`}`);
      return 2;
    }
    const measured = await run({ smoke: flags.has('--smoke'), part });
    const claims = measured.map((one) => claim(one.name, one.value, one.unit, one.samples));
    if (claims.length === 0) throw new Error(`bench ${name} measured nothing`);
    const date = new Date().toISOString().slice(0, 10);
    if (flags.has('--record')) await record({ bench: name, ...about, date, claims });
    if (flags.has('--json')) print(JSON.stringify({ bench: name, ...about, claims }));
    else for (const one of claims) print(lineOf(one, flags.has('--smoke')));
  }
  return 0;
}

function partsOf(name: string): { readonly bench: string; readonly part: string | undefined } {
  const [bench = '', part] = name.split(':', 2);
  return { bench, part };
}

function lineOf({ name, value, unit, samples }: Claim, smoke: boolean): string {
  const goal = GOALS[name];
  const bar = smoke || goal === undefined ? '' : `; goal ${goalText(goal)}: ${verdictOf(name, value)}`;
  return `  ${name} ${value} ${unit} (${samples} samples)${bar}`;
}

endWithStarter();
process.exitCode = await main(process.argv.slice(2));
