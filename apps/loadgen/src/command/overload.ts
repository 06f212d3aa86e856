/**
 * A load of twice the capacity, with checks of what it must not change (search/overload.ts).
 *
 *   at capacity --> at twice that --> drained --> at half
 */
import { type RunResult, warmUp } from '../run/steady-run.ts';
import { judgeOverload } from '../search/overload.ts';
import { blocksOf } from '../signing/transfer-source.ts';
import { runAudited } from './audited-run.ts';
import type { Mode } from './mode.ts';
import { resultText } from './run-text.ts';

/** `--rate` is the capacity. */
export const overload: Mode = async (context, { rate, seconds }) => {
  let firstBlock = await warmUp(context.components, rate);
  const results: RunResult[] = [];
  for (const share of [1, 2, 0.5]) {
    const transactionsPerSecond = Math.max(1, Math.round(rate * share));
    context.say(`${share} of capacity: ${transactionsPerSecond} per second`);
    results.push(await runAudited(context, { transactionsPerSecond, seconds, firstBlock }));
    firstBlock += blocksOf(transactionsPerSecond * seconds);
  }
  const [base, over, after] = results as [RunResult, RunResult, RunResult];
  const findings = judgeOverload(base, over, after);
  const lines = findings.map(({ property, holds, found }) => `  ${holds ? 'yes' : 'NO '}  ${property}: ${found}`);
  return {
    exitCode: findings.every(({ holds }) => holds) ? 0 : 1,
    json: { findings, runs: results },
    runs: results,
    text: [...results.map(resultText), 'at twice the capacity:', ...lines].join('\n\n'),
  };
};
