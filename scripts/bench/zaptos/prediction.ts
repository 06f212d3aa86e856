/**
 * Prediction of Zaptos (arXiv 2501.10612, theorem 4.3), from a client at a full node to the commit there, ms:
 *
 *   parallel    before + 2 link + consensus + max(E + C - 2d, 0) + max(E - d, 0) + max(C - d, 0)
 *   sequential  before + 2 link + consensus + d + 2E + 2C
 *
 * before: dissemination and block queue; consensus: from proposal to finality; d: one exchange of votes; link: one way between full node and
 * validator. In the processes of links.ts a sequential full node learns that a block is final as early as its validator, so E and C count
 * once: a faster baseline than the theorem's.
 */
export interface Delays {
  readonly beforeMs: number;
  readonly consensusMs: number;
  readonly voteMs: number;
  readonly linkMs: number;
  readonly executeMs: number;
  readonly commitMs: number;
  /** How often the baseline's path executes and commits. */
  readonly baselineRuns: 1 | 2;
}

export interface Prediction {
  readonly parallelMs: number;
  readonly sequentialMs: number;
  /** 0 to 1. */
  readonly reduction: number;
}

export function predict(delays: Delays): Prediction {
  const { beforeMs, consensusMs, voteMs: d, linkMs, executeMs: e, commitMs: c, baselineRuns } = delays;
  const common = beforeMs + 2 * linkMs + consensusMs;
  const parallelMs = common + Math.max(e + c - 2 * d, 0) + Math.max(e - d, 0) + Math.max(c - d, 0);
  const sequentialMs = common + d + baselineRuns * (e + c);
  return { parallelMs, sequentialMs, reduction: 1 - parallelMs / sequentialMs };
}

/** Of a mode, means, ms. */
export interface MeasuredMode {
  readonly beforeMs: number;
  /** From the proposal to the commit at the client's node. */
  readonly afterMs: number;
}

/**
 * The reduction as the theorem counts it: what comes before the proposal is the same in both modes, the mean of the two. Measured alone it is not:
 * a chunk that just misses a block waits for the next one, so it differs by tens of ms between chains, and between runs of one chain.
 */
export function reductionFromProposal(parallel: MeasuredMode, sequential: MeasuredMode): number {
  const beforeMs = (parallel.beforeMs + sequential.beforeMs) / 2;
  return 1 - (beforeMs + parallel.afterMs) / (beforeMs + sequential.afterMs);
}
