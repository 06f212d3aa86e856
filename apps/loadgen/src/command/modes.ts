/** Modes of a load: one rate, or the search for the highest. */
import { killValidators } from '../network/kill-validators.ts';
import { type RunResult, warmUp } from '../run/steady-run.ts';
import { findKnee } from '../search/knee.ts';
import { faultOf } from '../search/verdict.ts';
import { blocksOf } from '../signing/transfer-source.ts';
import { runAudited } from './audited-run.ts';
import type { Mode, ModeOptions } from './mode.ts';
import { overload } from './overload.ts';
import { resultText } from './run-text.ts';

export function chooseMode(options: ModeOptions): Mode {
  if (options.ramp) return rampUp;
  return options.overload ? overload : oneRate;
}

/** Failures at any load. */
function broken({ counts, audit }: RunResult): boolean {
  return counts.lost > 0 || counts.pending > 0 || (audit !== null && !audit.exactlyOnce);
}

const oneRate: Mode = async (context, { rate, seconds, kill }) => {
  const { components, network, say, signed } = context;
  let kills = 0;
  const { cluster } = network;
  const result = await runAudited(context, {
    transactionsPerSecond: rate,
    seconds,
    firstBlock: 0,
    ...(signed && { signed }),
    ...(kill &&
      cluster && {
        during: async (sent) => {
          kills = await killValidators(cluster, { unit: components.unit, signal: sent, say });
        },
      }),
  });
  const killed = kill ? [`validators killed and started again: ${kills}`] : [];
  return {
    exitCode: broken(result) ? 1 : 0,
    json: { ...result, ...(kill && { kills }) },
    runs: [result],
    text: [...killed, resultText(result)].join('\n'),
  };
};

/** Each step takes its seconds, and more for signing and draining. */
const STEPS_MAX = 16;
/** The search ends when the rates that held and failed are this close. */
const PRECISION = 0.05;

const rampUp: Mode = async (context, { rate, seconds, bound, ceiling }) => {
  const { components, signal, say } = context;
  const results: RunResult[] = [];
  let firstBlock = await warmUp(components, rate);
  const knee = await findKnee(
    async (transactionsPerSecond) => {
      if (signal.aborted) return 'ended by hand';
      say(`step ${results.length + 1}: ${transactionsPerSecond} per second`);
      const result = await runAudited(context, { transactionsPerSecond, seconds, firstBlock });
      firstBlock += blocksOf(transactionsPerSecond * seconds);
      results.push(result);
      const fault = faultOf(result, { finalityP99Ms: bound });
      say(fault === undefined ? '  holds' : `  does not hold: ${fault}`);
      return fault;
    },
    { from: rate, ceiling, precision: PRECISION, stepsMax: STEPS_MAX },
  );
  const best = results.findLast(
    (result, index) =>
      result.transactionsPerSecond === knee.transactionsPerSecond && knee.steps[index]?.fault === undefined,
  );
  const steps = knee.steps.map(
    ({ transactionsPerSecond, fault }) =>
      `  ${String(transactionsPerSecond).padStart(6)} per second: ${fault ?? 'holds'}`,
  );
  const found = `the knee: ${knee.transactionsPerSecond} per second with p99 of finality under ${bound} ms`;
  return {
    exitCode: knee.transactionsPerSecond === 0 || results.some(broken) ? 1 : 0,
    runs: results,
    json: { knee: knee.transactionsPerSecond, boundMs: bound, steps: knee.steps, runs: results },
    text: [...steps, found, ...(best ? [resultText(best)] : [])].join('\n'),
  };
};
