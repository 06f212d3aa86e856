import { tellTimeline } from './harness/timeline.ts';
import { createFaultGate } from './harness/trim.ts';
import { describe, runsOf, type Selection, selectScenarios } from './runs.ts';
import { playScenario } from './scenario.ts';

/** Returns the exit code. */
export async function replay(selection: Selection, print: (line: string) => void): Promise<number> {
  const [run] = await runsOf({ ...selection, seeds: 1, exact: true });
  const [scenario] = selectScenarios(run?.scenario ?? '');
  if (run === undefined || scenario === undefined) throw new RangeError('--replay needs one scenario');
  print(`${scenario.name}, ${run.size} nodes, seed ${run.seed}: ${scenario.about}`);
  try {
    const gate = createFaultGate(run.trim);
    const outcome = await playScenario(scenario, {
      ...run,
      gate,
      onCluster: (cluster) => tellTimeline(cluster, print),
    });
    print(`passed: ${outcome.views} views, ${outcome.virtualMs.toFixed(0)} ms, event hash ${outcome.eventHash}`);
    return 0;
  } catch (cause) {
    print(`FAILED: ${describe(cause)}`);
    return 1;
  }
}
