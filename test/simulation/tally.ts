import type { Outcomes } from './harness/calls/file.ts';
import { type RunName, type RunResult, replayCommand } from './runs.ts';

export interface Tally {
  expect(runs: readonly RunName[]): void;
  add(result: RunResult): void;
  readonly runs: number;
  readonly views: number;
  readonly scenarios: number;
  readonly failed: number;
  readonly failures: readonly RunResult[];
  /** Of all runs of an application. */
  readonly outcomes: Outcomes;
}

/** Hours with a frequent fault must not fill the memory. */
const FAILURES_MAX = 1000;

interface OfScenario {
  left: number;
  views: number;
  failed: number;
  runs: number;
}

/** Between lines that tell how far a scenario is. */
const PROGRESS_MS = 30_000;

export function createTally(print: (line: string) => void, nowMs: () => number): Tally {
  let printedMs = nowMs();
  const byScenario = new Map<string, OfScenario>();
  const failures: RunResult[] = [];
  const outcomes: Record<string, Record<string, number>> = {};
  let runs = 0;
  let views = 0;
  let failed = 0;

  function of(scenario: string): OfScenario {
    const entry = byScenario.get(scenario) ?? { left: 0, views: 0, failed: 0, runs: 0 };
    byScenario.set(scenario, entry);
    return entry;
  }

  function count(counted: Outcomes): void {
    for (const [action, codes] of Object.entries(counted)) {
      const counts = outcomes[action] ?? {};
      outcomes[action] = counts;
      for (const [code, times] of Object.entries(codes)) counts[code] = (counts[code] ?? 0) + times;
    }
  }

  return {
    outcomes,
    expect(expected) {
      for (const { scenario } of expected) {
        of(scenario).left++;
        of(scenario).runs++;
      }
    },
    add(result) {
      const { run, failure } = result;
      const entry = of(run.scenario);
      runs++;
      views += result.views;
      count(result.outcomes ?? {});
      entry.left--;
      entry.views += result.views;
      if (failure !== undefined) {
        failed++;
        entry.failed++;
        if (failures.length < FAILURES_MAX) failures.push(result);
        print(`FAILED ${run.scenario}, ${run.size} nodes, seed ${run.seed}: ${failure}`);
        print(`       ${replayCommand(run)}`);
      }
      if (entry.left > 0) {
        if (nowMs() - printedMs < PROGRESS_MS) return;
        printedMs = nowMs();
        const played = entry.runs - entry.left;
        print(`  ${run.scenario}: ${played} of ${entry.runs} runs, ${entry.views} views, ${entry.failed} failed`);
        return;
      }
      const outcome = entry.failed === 0 ? 'passed' : `${entry.failed} of ${entry.runs} FAILED`;
      print(`${run.scenario.padEnd(28)} ${outcome}, ${entry.runs} runs, ${entry.views} views`);
    },
    get runs() {
      return runs;
    },
    get views() {
      return views;
    },
    get scenarios() {
      return byScenario.size;
    },
    get failed() {
      return failed;
    },
    failures,
  };
}
