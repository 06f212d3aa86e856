/**
 * Which shares of a run are withheld or false: a fixed part of the rows, from the first second to the last.
 *
 *   header --rows--> credit of faults --> a faulty session says nothing, or signs another message: all its senders of the batch
 *                                    \--> a gateway leaves single senders out: what faulty sessions could not use
 *
 * A broker takes the third fault of an account within ten minutes as a reason to ask it for no share any more (Q8). So no account here has
 * more than two, and those of a run are spread over all.
 */
export interface ShareFaults {
  /** Of a faulty session, for a header with these own senders. */
  ofSession(signers: readonly number[]): 'none' | 'silent' | 'false';
  /** Those that a gateway signs for. */
  kept(signers: readonly number[]): readonly number[];
}

export interface FaultShares {
  readonly withheld: number;
  readonly false: number;
}

/** Of an account, at a broker that allows two. */
const FAULTS_MAX = 2;
const PENALTY_MS = 610_000;
/** Left to faulty sessions, for their next headers. */
const RESERVE = 20;
const RESERVE_MAX = 200;

export function createShareFaults(shares: FaultShares, nowMs: () => number): ShareFaults {
  const faultsMs = new Map<number, readonly number[]>();
  const credit = { silent: 0, false: 0 };
  let next = 0;

  function earn(rows: number): void {
    credit.silent = Math.min(RESERVE_MAX, credit.silent + shares.withheld * rows);
    credit.false = Math.min(RESERVE_MAX, credit.false + shares.false * rows);
  }

  function mayFail(signer: number): boolean {
    const recent = (faultsMs.get(signer) ?? []).filter((atMs) => nowMs() - atMs < PENALTY_MS);
    return recent.length < FAULTS_MAX;
  }

  function fail(signer: number): void {
    faultsMs.set(signer, [...(faultsMs.get(signer) ?? []), nowMs()].slice(-FAULTS_MAX));
  }

  return {
    ofSession(signers) {
      earn(signers.length);
      const kind = (['false', 'silent'] as const).find((each) => credit[each] >= signers.length);
      if (kind === undefined || !signers.every(mayFail)) return 'none';
      credit[kind] -= signers.length;
      for (const signer of signers) fail(signer);
      return kind;
    },
    kept(signers) {
      earn(signers.length);
      const left = new Set(signers);
      // Another part of the senders each time.
      const start = signers.length === 0 ? 0 : next++ % signers.length;
      for (let i = 0; i < signers.length && credit.silent >= RESERVE + 1; i++) {
        const signer = signers[(start + i * 7) % signers.length] as number;
        if (!left.has(signer) || !mayFail(signer)) continue;
        credit.silent--;
        fail(signer);
        left.delete(signer);
      }
      return signers.filter((signer) => left.has(signer));
    },
  };
}
