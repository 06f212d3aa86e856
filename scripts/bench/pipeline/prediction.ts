/**
 * Prediction of Zaptos (arXiv 2501.10612, theorem 4.3), from a client at a full node to the commit there, ms:
 *
 *   parallel    2cf + 2fv + consensus + max(E + C - 2d, 0) + max(E - d, 0) + max(C - d, 0)
 *   sequential  2cf + 2fv + d + consensus + 2E + 2C
 *
 * d: one exchange of votes; consensus: from proposal to finality; cf, fv: one way between client and full node, full node and validator.
 */
export interface Delays {
  readonly consensusMs: number;
  readonly voteMs: number;
  readonly linkMs: number;
  readonly executeMs: number;
  readonly commitMs: number;
}

export interface Prediction {
  readonly parallelMs: number;
  readonly sequentialMs: number;
  /** 0 to 1. */
  readonly reduction: number;
}

export function predict({ consensusMs, voteMs: d, linkMs, executeMs: e, commitMs: c }: Delays): Prediction {
  const common = 2 * linkMs + consensusMs;
  const parallelMs = common + Math.max(e + c - 2 * d, 0) + Math.max(e - d, 0) + Math.max(c - d, 0);
  const sequentialMs = common + d + 2 * e + 2 * c;
  return { parallelMs, sequentialMs, reduction: 1 - parallelMs / sequentialMs };
}
