import type { Outcomes } from './harness/calls/file.ts';
import { createFaultGate, formatTrim, type Trim } from './harness/trim.ts';
import { playScenario, type Scenario } from './scenario.ts';
import { applicationScenario, OF_APPLICATION } from './scenarios/application-file.ts';
import { SCENARIOS } from './scenarios/index.ts';

export interface RunName {
  readonly scenario: string;
  readonly size: number;
  readonly seed: number;
  readonly realBls: boolean;
  /** Default: the scenario's own. */
  readonly views?: number;
  readonly trim?: Trim;
}

export interface RunResult {
  readonly run: RunName;
  readonly views: number;
  readonly eventHash: string | undefined;
  /** Undefined: passed. */
  readonly failure: string | undefined;
  readonly outcomes?: Outcomes;
}

/** Seeds with real signatures. */
const REAL_BLS_EVERY = 10;
/** Seeds of long scenarios. */
const LONG_EVERY = 10;

export interface Part {
  readonly index: number;
  readonly of: number;
}

export interface Selection {
  /** See selectScenarios. */
  readonly scenario: string;
  /** Undefined: each scenario's own. */
  readonly sizes: readonly number[] | undefined;
  readonly firstSeed: number;
  readonly seeds: number;
  /** In every run. */
  readonly realBls: boolean;
  /** Long scenarios for every seed, complete sweeps. */
  readonly long: boolean;
  /** The index-th of so many parts, counted from 1; default: all runs. */
  readonly part?: Part;
  readonly views?: number;
  /** Seeds without the scenario's mapping, for a replay. */
  readonly exact?: boolean;
  readonly trim?: Trim;
}

/** A name, several with commas between them, or `all`; `application:FILE` is a scenario of the application in that file. */
export function selectScenarios(names: string): readonly Scenario[] {
  if (names === 'all') return SCENARIOS;
  const wanted = names.split(',');
  const files = wanted.filter((name) => name.startsWith(OF_APPLICATION)).map(applicationScenario);
  return [...SCENARIOS.filter(({ name }) => wanted.includes(name)), ...files];
}

const DEFAULT_SIZES = [4];

export const sizesOf = ({ onlySizes, sizes = DEFAULT_SIZES }: Pick<Scenario, 'sizes' | 'onlySizes'>) =>
  onlySizes ?? sizes;

/** Those asked for; of a scenario that is about none of them, its own. */
function playedSizes(scenario: Scenario, asked: readonly number[] | undefined): readonly number[] {
  const { onlySizes } = scenario;
  const played = asked?.filter((size) => onlySizes?.includes(size) !== false) ?? [];
  return played.length > 0 ? played : sizesOf(scenario);
}

export async function runsOf(selection: Selection): Promise<readonly RunName[]> {
  const runs: RunName[] = [];
  for (const scenario of selectScenarios(selection.scenario)) {
    const seeds = await seedsOf(scenario, selection);
    for (const size of playedSizes(scenario, selection.sizes)) {
      for (const seed of seeds) runs.push(runOf(scenario, size, seed, selection));
    }
  }
  const { index, of } = selection.part ?? { index: 1, of: 1 };
  return runs.filter((_, at) => at % of === index - 1);
}

function runOf(scenario: Scenario, size: number, seed: number, { realBls, views, trim }: Selection): RunName {
  return {
    scenario: scenario.name,
    size,
    seed,
    realBls: realBls || (scenario.seedsOf === undefined && seed % REAL_BLS_EVERY === 0),
    ...(views === undefined ? {} : { views }),
    ...(trim ? { trim } : {}),
  };
}

/** One line per scenario that is not about a requested committee size. */
export function otherSizes({
  scenario: names,
  sizes: asked = [],
}: Pick<Selection, 'scenario' | 'sizes'>): readonly string[] {
  return selectScenarios(names).flatMap((scenario) => {
    const wrong = asked.filter((size) => scenario.onlySizes?.includes(size) === false);
    if (wrong.length === 0) return [];
    const played = playedSizes(scenario, asked).join(', ');
    return [`${scenario.name} means nothing with ${wrong.join(', ')} members: it is played with ${played}`];
  });
}

function seedsOf(
  scenario: Scenario,
  { scenario: wanted, firstSeed, seeds, long, exact }: Selection,
): readonly number[] | Promise<readonly number[]> {
  const all = Array.from({ length: seeds }, (_, i) => firstSeed + i);
  if (exact) return all;
  if (scenario.seedsOf) return scenario.seedsOf({ firstSeed, seeds, long });
  const isRare = scenario.long === true && !long && wanted === 'all';
  return isRare ? all.filter((_, i) => i % LONG_EVERY === 0) : all;
}

export async function play(run: RunName): Promise<RunResult> {
  const [scenario] = selectScenarios(run.scenario);
  if (scenario === undefined) throw new RangeError(`there is no scenario "${run.scenario}"`);
  try {
    const { views, eventHash, outcomes } = await playScenario(scenario, { ...run, gate: createFaultGate(run.trim) });
    return { run, views, eventHash, failure: undefined, outcomes };
  } catch (cause) {
    return { run, views: 0, eventHash: undefined, failure: describe(cause) };
  }
}

export function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const data = 'data' in cause ? JSON.stringify(cause.data) : '{}';
  return data === '{}' ? cause.message : `${cause.message} ${data}`;
}

export function replayCommand({ scenario, size, seed, realBls, views, trim = {} }: RunName): string {
  const bls = realBls ? ' --real-bls' : '';
  const length = views === undefined ? '' : ` --views ${views}`;
  const text = formatTrim(trim);
  const less = text === '' ? '' : ` --trim "${text}"`;
  return `npm run sim -- --scenario ${scenario} --nodes ${size} --first-seed ${seed} --seeds 1${length}${bls}${less} --replay`;
}
