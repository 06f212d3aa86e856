/** Stand-in signatures with the real bisection, whose tests are counted as pairing checks. A check takes time, so that several overlap. */
import {
  type Clock,
  checkOneByOne,
  type QuorumRequest,
  type QuorumResult,
  type SignedVote,
  type Verifier,
} from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { findOffenders } from '../../../packages/crypto/src/offenders.ts';

/** A quorum of 667 (docs/performance/README.md, `quorum`); a test of a bisection takes about as long. */
const CHECK_MS = 2;

export function createBisectingVerifier(inner: Verifier, clock: Pick<Clock, 'after'>): Verifier {
  /** One thread. */
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(checks: (answer: T) => number, ask: () => Promise<T>): Promise<T> {
    const mine = last.then(async () => {
      const answer = await ask();
      await new Promise<void>((resolve) => void clock.after(CHECK_MS * checks(answer), resolve));
      return answer;
    });
    last = mine;
    return mine;
  }

  const verifier: Verifier = {
    checkQuorum: (request) =>
      inTurn(
        ({ checks }) => checks,
        () => judge(inner, request),
      ),
    checkVote: (...request) =>
      inTurn(
        () => 1,
        () => inner.checkVote(...request),
      ),
    checkCertificate: (...request) =>
      inTurn(
        () => 1,
        () => inner.checkCertificate(...request),
      ),
    checkAggregate: (...request) => inner.checkAggregate(...request),
    checkBatch: (...batch) => checkOneByOne(verifier, ...batch),
    checkAccounts: (...request) => inner.checkAccounts(...request),
  };
  return verifier;
}

async function judge(inner: Verifier, request: QuorumRequest): Promise<QuorumResult> {
  const truth = await inner.checkQuorum(request);
  if (truth.aggregate !== undefined) return { ...truth, checks: 1 };
  const bad = new Set(truth.offenders);
  const suspects = request.votes.filter(({ verified }) => !verified);
  const signerAt = (position: number) => (suspects[position] as SignedVote).signer;
  let checks = 1;
  const holds = (positions: readonly number[]): boolean => {
    checks++;
    return positions.every((position) => !bad.has(signerAt(position)));
  };
  const verdict = findOffenders([...suspects.keys()], { sumHolds: holds, allValid: holds });
  const ascending = (positions: readonly number[]) => positions.map(signerAt).sort((a, b) => a - b);
  const offenders = ascending(verdict.offenders);
  assert(offenders.length === bad.size, 'the bisection finds every offender, and no other');
  return { aggregate: undefined, offenders, verified: ascending(verdict.valid), checks, tookMs: 0 };
}
