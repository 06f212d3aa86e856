/**
 * What the parallel pipeline saves by stage, measured and predicted: where a measured reduction is not the predicted one.
 *
 * Theorem 4.3 (prediction.ts) saves nothing before the order is known. After it the sequential mode takes E, d and C; the parallel one what an
 * exchange of votes cannot hide of E and C, counted with the commit.
 */
import { PARTS, type Part } from './latency-parts.ts';
import { type Delays, predict } from './prediction.ts';

export interface StageGain {
  readonly part: Part;
  /** Means, ms. */
  readonly parallelMs: number;
  readonly sequentialMs: number;
  readonly gainMs: number;
  readonly predictedMs: number;
}

/** `parallel`, `sequential`: means in the order of PARTS, ms. */
export function stageGains(parallel: readonly number[], sequential: readonly number[], delays: Delays): StageGain[] {
  const { parallelMs, sequentialMs } = predict(delays);
  const executeMs = delays.baselineRuns * delays.executeMs;
  const predicted: Partial<Record<Part, number>> = {
    execution: executeMs,
    certification: delays.voteMs,
    commit: sequentialMs - parallelMs - executeMs - delays.voteMs,
  };
  return PARTS.map((part, at) => {
    const [ofParallel, ofSequential] = [parallel[at] ?? 0, sequential[at] ?? 0];
    const gainMs = ofSequential - ofParallel;
    return { part, gainMs, parallelMs: ofParallel, sequentialMs: ofSequential, predictedMs: predicted[part] ?? 0 };
  });
}
