import { type RunOptions, type RunResult, runSteady } from '../run/steady-run.ts';
import type { ModeContext } from './mode.ts';
import { progressLine } from './run-text.ts';

/** A run with readings of the nodes, a line of progress per sample, and an audit of the chain. */
export function runAudited(
  { components, signal, say }: Pick<ModeContext, 'components' | 'signal' | 'say'>,
  plan: Pick<RunOptions, 'transactionsPerSecond' | 'seconds' | 'firstBlock' | 'signed' | 'during'>,
): Promise<RunResult> {
  return runSteady(components, {
    ...plan,
    audits: true,
    readsNodes: true,
    signal,
    onSample: (sample, before) => say(progressLine(sample, before)),
  });
}
