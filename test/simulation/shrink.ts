/**
 * Reduces a failing run to the smallest one that fails in the same way.
 *
 *   smaller committee, the seed that fails soonest --> fewer liars --> fewer faults (delta debugging) --> calmer, shorter
 *
 * Faults are minimized as in Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (2002): halves, then quarters, down
 * to single faults.
 */
import type { Cluster } from './harness/cluster.ts';
import { createFaultGate, type MadeFault, type Noise, type Trim } from './harness/trim.ts';
import { describe, type RunName, replayCommand, selectScenarios } from './runs.ts';
import { playScenario } from './scenario.ts';

export interface FailedRun {
  readonly run: RunName;
  readonly failure: string;
  readonly faults: readonly MadeFault[];
  readonly liars: readonly number[];
  readonly noises: ReadonlySet<Noise>;
  readonly views: number;
  readonly virtualMs: number;
}

export interface Shrunk {
  readonly from: FailedRun;
  readonly to: FailedRun;
  readonly attempts: number;
}

export interface ShrinkOptions {
  /** Real time. */
  readonly secondsMax?: number;
  readonly attemptsMax?: number;
}

const SECONDS_MAX = 60;
const ATTEMPTS_MAX = 400;
const SMALLER_SIZES = [4, 5, 7, 10, 13];
/** With a smaller committee, then with the final one. */
const SEEDS_TRIED = 8;
const HURRIES = [0.1, 0.25, 0.5];

/** Without times, numbers and names of this run. */
export function kindOf(failure: string): string {
  return (failure.split(' (')[0] as string).replaceAll(/\b[0-9]+\b/g, 'N').replace(/ not within.*/, ' not in time');
}

/** Undefined: passed. */
export async function attempt(run: RunName): Promise<FailedRun | undefined> {
  const [scenario] = selectScenarios(run.scenario);
  if (scenario === undefined) throw new RangeError(`there is no scenario "${run.scenario}"`);
  const clusters: Cluster[] = [];
  const gate = createFaultGate(run.trim);
  try {
    await playScenario(scenario, { ...run, gate, onCluster: (cluster) => clusters.push(cluster) });
    return undefined;
  } catch (cause) {
    return {
      run,
      failure: describe(cause),
      faults: gate.made,
      noises: gate.noises,
      liars: [...new Set(clusters.flatMap(({ members, honest }) => members.filter((each) => !honest.includes(each))))],
      views: clusters.reduce((sum, { checks }) => sum + checks.counts.views, 0),
      virtualMs: clusters.reduce((sum, { simulation }) => sum + simulation.nowMs, 0),
    };
  }
}

/** Undefined: the run does not fail again, a bug of the simulation. */
export async function shrink(run: RunName, options: ShrinkOptions = {}): Promise<Shrunk | undefined> {
  const { secondsMax = SECONDS_MAX, attemptsMax = ATTEMPTS_MAX } = options;
  const endMs = performance.now() + 1000 * secondsMax;
  const from = await attempt(run);
  if (from === undefined) return undefined;
  const kind = kindOf(from.failure);
  let best = from;
  let attempts = 0;

  /** Adopts a run that fails in the same way; `better`: a further condition. */
  async function take(next: RunName, better: (found: FailedRun) => boolean = () => true): Promise<boolean> {
    if (attempts >= attemptsMax || performance.now() > endMs) return false;
    attempts++;
    const found = await attempt(next);
    if (found === undefined || kindOf(found.failure) !== kind || !better(found)) return false;
    best = found;
    return true;
  }

  const withTrim = (trim: Trim): RunName => ({ ...best.run, trim: { ...best.run.trim, ...trim } });
  const seeds = (seed: number) => Array.from({ length: SEEDS_TRIED }, (_, i) => seed + i);

  async function smallerCommittee(): Promise<void> {
    const [scenario] = selectScenarios(run.scenario);
    if (scenario?.seedsOf !== undefined) return; // points, not random
    for (const size of (scenario?.onlySizes ?? SMALLER_SIZES).filter((each) => each < run.size)) {
      for (const seed of seeds(run.seed)) if (await take({ ...run, size, seed })) return;
    }
  }

  async function soonestSeed(): Promise<void> {
    const { size } = best.run;
    if (selectScenarios(run.scenario)[0]?.seedsOf !== undefined) return;
    for (const seed of seeds(1)) await take({ ...best.run, size, seed }, ({ virtualMs }) => virtualMs < best.virtualMs);
  }

  async function fewerLiars(): Promise<void> {
    for (const liar of best.liars) await take(withTrim({ liars: best.liars.filter((each) => each !== liar) }));
  }

  async function fewerFaults(): Promise<void> {
    if (best.faults.length === 0 || (await take(withTrim({ faults: [] })))) return;
    for (let parts = 2; ; ) {
      const numbers = best.faults.map(({ number }) => number);
      const length = Math.ceil(numbers.length / parts);
      let taken = false;
      for (let at = 0; at < numbers.length && !taken; at += length) {
        taken = await take(withTrim({ faults: [...numbers.slice(0, at), ...numbers.slice(at + length)] }));
      }
      if (!taken && length <= 1) return;
      parts = taken ? Math.max(2, parts - 1) : Math.min(2 * parts, numbers.length);
      if (attempts >= attemptsMax || performance.now() > endMs || best.faults.length <= 1) return;
    }
  }

  async function calmer(): Promise<void> {
    for (const noise of best.noises) await take(withTrim({ calm: [...(best.run.trim?.calm ?? []), noise] }));
    for (const hurry of HURRIES)
      if (await take(withTrim({ hurry }), ({ virtualMs }) => virtualMs < best.virtualMs)) return;
  }

  await smallerCommittee();
  await soonestSeed();
  await fewerLiars();
  await fewerFaults();
  await calmer();
  await fewerFaults();
  // After the failure faults need no number.
  if (best.run.trim?.faults) await take(withTrim({ faults: best.faults.map(({ number }) => number) }));
  return { from, to: best, attempts };
}

export function shrunkLines({ from, to, attempts }: Shrunk): readonly string[] {
  return [
    `the least that fails in the same way, after ${attempts} attempts: ${sizeOf(to)} (from ${sizeOf(from)})`,
    `  ${to.failure.slice(0, 300)}`,
    ...to.faults.map(({ number, atMs, what }) => `  fault ${number}, at ${atMs.toFixed(1)} ms: ${what}`),
    ...(to.run.trim?.calm?.length ? [`  without ${to.run.trim.calm.join(', ')}`] : []),
    `  ${replayCommand(to.run)}`,
  ];
}

function sizeOf({ run, liars, faults, views, virtualMs }: FailedRun): string {
  return `${run.size} nodes, ${liars.length} liars, ${faults.length} faults, ${views} views, ${virtualMs.toFixed(0)} ms`;
}
