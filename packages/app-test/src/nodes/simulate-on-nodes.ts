/** `simulate` on simulated nodes: what `slipstream app sim --nodes` plays, with the outcome of calls and the first failure as an error. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ActionInputs, Application } from '@slipstream/app';
import type { SeededRandom } from '@slipstream/simulator';
import { TestError } from '../errors.ts';
import { genesisBytes, type Prepared, pathOf } from '../prepare.ts';
import type { World } from '../simulation/draw-call.ts';
import type { GenesisInput } from '../types.ts';
import { type NodeReport, type NodeRuns, playOnNodes } from './simulator-process.ts';

/** By the name of an action: draws an input, where random values would seldom be valid. */
export type DrawnInputs<App extends Application> = {
  readonly [N in keyof ActionInputs<App>]?: (random: SeededRandom, world: World) => ActionInputs<App>[N];
};

export interface NodeSimulationOptions<App extends Application> {
  /** The application's file: a path, or a URL made with import.meta.url. */
  readonly file: string | URL;
  /** Simulated validators, from 4 to 100. */
  readonly nodes: number;
  /** Default: nothing. */
  readonly genesis?: GenesisInput<App>;
  /** Runs, each a chain of its own. Default: 10. */
  readonly seeds?: number;
  /** Default: 1. */
  readonly firstSeed?: number;
  /** A module whose default export are `DrawnInputs`: each run, and the command that replays it, imports it. */
  readonly inputs?: string | URL;
}

export interface SimulatedOnNodes {
  readonly seeds: number;
  readonly views: number;
  /** How often final calls of each action ended how: `success`, or the code of their failure. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Actions that no final call succeeded in: the run says nothing about them. Give `inputs` for them. */
  readonly neverSucceeded: readonly string[];
}

type Terms = Omit<NodeSimulationOptions<Application>, 'genesis'> & { readonly genesis?: unknown };

const NODES = { min: 4, max: 100 } as const;

/** Throws TestError `simulation-failed` with the seed and a command, `genesis-failed`, and as `playOnNodes`; RangeError for `nodes`. */
export async function simulateOnNodes(prepared: Prepared, terms: Terms): Promise<SimulatedOnNodes> {
  const { file, nodes, genesis, seeds = 10, firstSeed = 1, inputs } = terms;
  if (!Number.isInteger(nodes) || nodes < NODES.min || nodes > NODES.max)
    throw new RangeError(`nodes is a whole number from ${NODES.min} to ${NODES.max}`);
  genesisBytes(prepared, genesis);
  const folder = genesis === undefined ? undefined : await mkdtemp(join(tmpdir(), 'slipstream-simulate-'));
  const runs: NodeRuns = {
    file: resolve(pathOf(file)),
    genesis: folder && (await writtenJson(folder, genesis)),
    inputs: inputs && resolve(pathOf(inputs)),
    nodes,
    seeds,
    firstSeed,
  };
  const report = await playOnNodes(runs, { line: () => {} });
  // What failed is played again with the file.
  if (report.failures > 0) throw failureOf(report, runs);
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  const names = prepared.build.manifest.actions.map(({ name }) => name);
  const outcomes = Object.fromEntries(names.map((name) => [name, report.outcomes[name] ?? {}]));
  const neverSucceeded = names.filter((name) => outcomes[name]?.success === undefined);
  return { seeds: report.seeds, views: report.views, outcomes, neverSucceeded };
}

async function writtenJson(folder: string, value: unknown): Promise<string> {
  const path = join(folder, 'genesis.json');
  await writeFile(
    path,
    JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)),
  );
  return path;
}

/** Of the first seed that failed. */
function failureOf({ failed, failures, seeds }: NodeReport, runs: NodeRuns): TestError {
  const [first] = [...failed].sort((a, b) => a.seed - b.seed);
  const { seed = runs.firstSeed, failure = 'the simulator names no failure', replay = '' } = first ?? {};
  const command = commandOf({ ...runs, seeds: 1, firstSeed: seed });
  const message =
    `seed ${seed}, on ${runs.nodes} simulated nodes: ${failure}\n  ${failures} of ${seeds} seeds failed.` +
    `\n  Replay it, in the checkout: ${command}\n  Its views: ${replay}`;
  return new TestError('simulation-failed', message, { seed, failures, command, replay });
}

function commandOf({ file, genesis, inputs, nodes, seeds, firstSeed }: NodeRuns): string {
  const words = { nodes, seeds, 'first-seed': firstSeed, genesis, inputs };
  const options = Object.entries(words).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shown(String(value))}`],
  );
  return ['npm run slipstream -- app sim', shown(file), ...options].join(' ');
}

const shown = (word: string): string => (/^[\w./:@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
