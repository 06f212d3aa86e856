/**
 * Simulations of the protocol: scenarios over seeds, in virtual time (docs/testing.md).
 *
 *   npm run sim -- --scenario NAME|all --seeds N [--first-seed S] [--nodes 4,7] [--json] [--replay]
 *
 * With --json standard output ends in one line {scenarios, seeds, views, outcomes, failures, failed}; a failure makes the exit code 1.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { parseTrim } from '../test/simulation/harness/trim.ts';
import { checkBoundary, checkVoting, type ModelResult } from '../test/simulation/model/check.ts';
import { playMutations } from '../test/simulation/mutations/play.ts';
import { replay } from '../test/simulation/replay.ts';
import { playAll } from '../test/simulation/run-pool.ts';
import {
  otherSizes,
  type Part,
  type RunName,
  type RunResult,
  replayCommand,
  runsOf,
  type Selection,
  selectScenarios,
} from '../test/simulation/runs.ts';
import { SCENARIOS } from '../test/simulation/scenarios/index.ts';
import { kindOf, shrink, shrunkLines } from '../test/simulation/shrink.ts';
import { createTally } from '../test/simulation/tally.ts';
import { endWithStarter } from './end-with-starter.ts';
import { print, warn } from './print.ts';

const USAGE = `npm run sim -- [options]
  --scenario NAME|all   default: all; several: NAME,NAME; application:FILE or application:FILE=GENESIS=INPUTS: of the
                        application in a .ts file, with the JSON file of its genesis function's input, and a module
                        that draws inputs of actions
  --seeds N             seeds of each scenario and size; default: 1
  --first-seed S        default: 1
  --nodes 4,7           committee sizes; default: each scenario's own, mostly 4. A view costs the square: 0.3 s of processor
                        with 50, 1.7 s with 100
  --real-bls            real signatures in every run (otherwise: every tenth seed, and where a scenario needs them)
  --long                long scenarios for every seed, and the whole crash sweep; "all" goes on for an hour, or --minutes;
                        with --model the large variants of the boundary
  --part I/N            only the I-th of N parts of the runs, taken in turn: a sweep in pieces
  --minutes N           plays further seeds until N minutes have passed
  --mutations           breaks rules of the protocol on purpose; each must make a simulation fail
  --model               explores every order of votes of 4 validators, one of them Byzantine, within an epoch and at its end;
                        broken rules must be caught
  --views N             of the model within an epoch, default: 3; of a scenario whose length is a choice (reputation-long)
  --threads N           default: the machine's cores; 0 plays all on the main thread
  --replay              prints the timeline of one run
  --trim TEXT           only a part of what a scenario does: a shrunk failure prints it
  --no-shrink           failures are not shrunk
  --list                names the scenarios
  --json                ends with one JSON line`;

const LONG_MINUTES = 60;
const MODEL_VIEWS = '3';

const options = {
  scenario: { type: 'string', default: 'all' },
  seeds: { type: 'string', default: '1' },
  'first-seed': { type: 'string', default: '1' },
  nodes: { type: 'string' },
  'real-bls': { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
  minutes: { type: 'string' },
  part: { type: 'string', default: '1/1' },
  mutations: { type: 'boolean', default: false },
  model: { type: 'boolean', default: false },
  views: { type: 'string' },
  threads: { type: 'string', default: String(availableParallelism()) },
  replay: { type: 'boolean', default: false },
  trim: { type: 'string', default: '' },
  'no-shrink': { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new RangeError(`--${name} is a whole number of at least ${least}`);
  return value;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    print(USAGE);
    return 0;
  }
  if (values.list) {
    for (const { name, about } of SCENARIOS) print(`${name.padEnd(28)} ${about}`);
    return 0;
  }
  if (values.mutations) return playAllMutations(values.json);
  if (values.model) return exploreModel(whole('views', values.views ?? MODEL_VIEWS, 1), values.long, values.json);
  if (selectScenarios(values.scenario).length === 0) {
    throw new RangeError(`there is no scenario "${values.scenario}"; --list names them`);
  }
  const selection: Selection = {
    scenario: values.scenario,
    sizes: values.nodes?.split(',').map((text) => whole('nodes', text, 1)),
    firstSeed: whole('first-seed', values['first-seed'], 0),
    seeds: whole('seeds', values.seeds, 1),
    realBls: values['real-bls'],
    long: values.long,
    part: partOf(values.part),
    ...(values.views === undefined ? {} : { views: whole('views', values.views, 1) }),
    ...(values.trim === '' ? {} : { trim: parseTrim(values.trim) }),
  };
  for (const line of otherSizes(selection)) print(line);
  if (values.replay) return replay(selection, print);
  return playSelection(selection, {
    threads: whole('threads', values.threads, 0),
    json: values.json,
    shrinks: !values['no-shrink'],
    minutes: minutesOf(values),
  });
}

function partOf(text: string): Part {
  const [index, of, ...more] = text.split('/').map((number) => whole('part', number, 1));
  if (index === undefined || of === undefined || more.length > 0 || index > of)
    throw new RangeError('--part is I/N, with I from 1 to N');
  return { index, of };
}

/** A named scenario runs once, whatever its length, so that a sweep is complete. */
function minutesOf(values: { readonly minutes?: string; readonly long: boolean; readonly scenario: string }) {
  if (values.minutes !== undefined) return whole('minutes', values.minutes, 0);
  return values.long && values.scenario === 'all' ? LONG_MINUTES : undefined;
}

/** A broken rule that no check detects is a failure. */
async function playAllMutations(json: boolean): Promise<number> {
  const results = await playMutations([], ({ mutation, caught, stumbled, seconds }) => {
    const outcome = caught === undefined ? (stumbled === undefined ? 'UNNOTICED' : 'STUMBLED') : 'noticed';
    print(`${mutation.padEnd(28)} ${outcome} in ${seconds.toFixed(1)} s`);
    const failure = caught ?? stumbled;
    if (failure !== undefined) print(`    ${failure.slice(0, 160)}`);
  });
  const namesOf = (some: typeof results) => some.map(({ mutation }) => mutation);
  const stumbled = namesOf(results.filter((result) => result.stumbled !== undefined));
  const unnoticed = namesOf(results.filter((result) => result.caught === undefined && result.stumbled === undefined));
  print(
    `${results.length} mutations, ${unnoticed.length} unnoticed, ${stumbled.length} that only made the program stumble`,
  );
  if (json) print(JSON.stringify({ mutations: results.length, unnoticed, stumbled }));
  return unnoticed.length + stumbled.length === 0 ? 0 : 1;
}

/** An intact rule is explored to the end; a broken one must lead to the violation that the model looks for. */
function exploreModel(views: number, long: boolean, json: boolean): number {
  const unexpected: string[] = [];
  const report = ({ name, about, states, complete, violation, asExpected }: ModelResult) => {
    const found = violation
      ? `violated: ${violation.property}`
      : complete
        ? 'holds in every state'
        : 'not explored to the end';
    print(`${name.padEnd(30)} ${about}\n    ${states} states: ${found}`);
    for (const step of violation?.history ?? []) print(`      ${step}`);
    if (!asExpected) unexpected.push(name);
  };
  for (const result of checkVoting(views)) report(result);
  for (const result of checkBoundary(long)) report(result);
  print(unexpected.length === 0 ? 'all as expected' : `NOT as expected: ${unexpected.join(', ')}`);
  if (json) print(JSON.stringify({ views, unexpected }));
  return unexpected.length === 0 ? 0 : 1;
}

/** Failures that are shrunk; further ones are rarely of other kinds. */
const SHRUNK_MAX = 3;

async function shrinkSome(failures: readonly RunResult[]): Promise<void> {
  const kinds = new Map<string, RunName>();
  for (const { run, failure } of failures) {
    const kind = `${run.scenario}: ${kindOf(failure as string)}`;
    if (!kinds.has(kind) && kinds.size < SHRUNK_MAX) kinds.set(kind, run);
  }
  for (const [kind, run] of kinds) {
    print(`shrinking ${kind}`);
    const shrunk = await shrink(run);
    for (const line of shrunk ? shrunkLines(shrunk) : ['it passes when it is played again']) print(line);
  }
}

interface PlayOptions {
  readonly threads: number;
  readonly json: boolean;
  readonly shrinks: boolean;
  /** Further seeds run until this much time has passed; undefined: those of the selection, once. */
  readonly minutes: number | undefined;
}

async function playSelection(selection: Selection, { threads, json, shrinks, minutes }: PlayOptions): Promise<number> {
  const startedMs = performance.now();
  const endMs = minutes === undefined ? startedMs : startedMs + minutes * 60_000;
  const tally = createTally(print, () => performance.now());
  const total = () => {
    const seconds = (performance.now() - startedMs) / 1000;
    const pace = (tally.runs / seconds).toFixed(1);
    return `${tally.runs} runs, ${tally.views} views in ${seconds.toFixed(1)} s (${pace} scenarios/s), ${tally.failed} failures`;
  };
  let round = selection;
  do {
    const runs = await runsOf(round);
    tally.expect(runs);
    await playAll(runs, { threads, onResult: tally.add, endMs: minutes === undefined ? undefined : endMs });
    print(minutes === undefined ? total() : `seeds up to ${round.firstSeed + round.seeds - 1}: ${total()}`);
    // A sweep that ran completely once is not repeated completely.
    round = { ...round, firstSeed: round.firstSeed + round.seeds, long: false };
  } while (performance.now() < endMs);
  if (shrinks) await shrinkSome(tally.failures);
  if (json) {
    const failed = tally.failures.map(({ run, failure }) => ({ ...run, failure, replay: replayCommand(run) }));
    const { seeds } = selection;
    const { scenarios, views, outcomes } = tally;
    print(JSON.stringify({ scenarios, seeds, views, outcomes, failures: tally.failed, failed }));
  }
  return tally.failed === 0 ? 0 : 1;
}

endWithStarter();
main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    warn(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  },
);
