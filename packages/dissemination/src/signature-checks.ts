/**
 * Signature checks: who authorized a transaction. Ed25519 in batches, each signature at most once in a node; then, for
 * sessions, the credential.
 *
 *   clients:  gather up to 2 ms --> one batch        chunks: a chunk is a batch
 *   both:     known good? --> no work                in flight? --> its verdict
 *   session key's signature good --> its credential (crypto, "session checks")
 *
 * Only good verdicts are kept: a bad authority says nothing about another one under the same id. The memory is bounded and
 * forgets the oldest. A verdict is a function of bytes and genesis, except `not-now`, which only a check with a budget gives.
 */
import type { Budget, SessionChecks } from '@slipstream/crypto';
import type { AccountSignature, Clock, Priority, Verifier } from '@slipstream/ports';
import { bytesEqual, sha256 } from '@slipstream/primitives';
import { type AuthorityFault, authInBytes, type DecodedTransaction, hexOf, sessionKeyOf } from '@slipstream/types';
import type { DisseminationLimits } from './limits.ts';

/** `not-now`: the budget of whoever sent it is spent. */
export type Verdict = 'good' | 'not-now' | AuthorityFault;

export interface SignatureChecks {
  /** One verdict each, in order; `bad-signature` for what is no transaction. Rejects when the verifier does. */
  check(transactions: readonly DecodedTransaction[], priority: Priority, budget?: Budget): Promise<readonly Verdict[]>;
  /** One transaction, gathered with others that come within gatherMs. */
  checkGathered(transaction: DecodedTransaction, budget?: Budget): Promise<Verdict>;
  /** Batches that went to the verifier, and signatures in them. */
  stats(): { readonly batches: number; readonly signatures: number; readonly known: number };
}

interface Asked {
  readonly transaction: DecodedTransaction;
  readonly budget: Budget | undefined;
}

interface Waiting extends Asked {
  resolve(verdict: Verdict): void;
  reject(cause: unknown): void;
}

interface Flight {
  readonly authority: Uint8Array;
  readonly verdict: Promise<Verdict>;
}

interface Fresh {
  readonly id: string;
  readonly at: number;
  readonly asked: Asked;
  readonly authority: Uint8Array;
  readonly signature: AccountSignature;
}

export interface SignatureCheckParts {
  readonly verifier: Pick<Verifier, 'checkAccounts'>;
  readonly sessions: Pick<SessionChecks, 'check'>;
  readonly clock: Clock;
}

export function createSignatureChecks(
  { verifier, sessions, clock }: SignatureCheckParts,
  limits: Pick<DisseminationLimits, 'gatherMs' | 'gatherSignaturesMax' | 'verdictsMax'>,
): SignatureChecks {
  /** Authority that is good, by transaction id, oldest first. */
  const good = new Map<string, Uint8Array>();
  const flights = new Map<string, Flight>();
  const counts = { batches: 0, signatures: 0, known: 0 };
  let waiting: Waiting[] = [];
  let cancelGather: (() => void) | undefined;

  function remember(id: string, authority: Uint8Array): void {
    good.set(id, authority.slice());
    if (good.size > limits.verdictsMax) good.delete(good.keys().next().value as string);
  }

  function verify(entries: readonly Asked[], priority: Priority): readonly Promise<Verdict>[] {
    const fresh: Fresh[] = [];
    const verdicts = entries.map((asked, at): Promise<Verdict> => {
      const { transaction, id: transactionId, bytes } = asked.transaction;
      if (transaction === undefined) return NO_TRANSACTION;
      const { body, auth } = transaction;
      const id = hexOf(transactionId);
      const isSession = auth.scheme !== 'ed25519';
      const authority = isSession ? sha256(authInBytes(bytes)) : auth.signature;
      const known = good.get(id);
      const flight = flights.get(id);
      if (known && bytesEqual(known, authority)) {
        counts.known += 1;
        return GOOD;
      }
      if (flight && bytesEqual(flight.authority, authority)) {
        counts.known += 1;
        return flight.verdict;
      }
      const publicKey = isSession ? sessionKeyOf(auth) : body.sender.bytes;
      const signature = { publicKey, message: transactionId, signature: auth.signature };
      fresh.push({ id, at, asked, authority, signature });
      return GOOD; // replaced below
    });
    if (fresh.length === 0) return verdicts;
    counts.batches += 1;
    counts.signatures += fresh.length;
    const answers = verifier.checkAccounts(
      fresh.map(({ signature }) => signature),
      priority,
    );
    for (const [i, one] of fresh.entries()) verdicts[one.at] = settle(one, i, answers, priority);
    return verdicts;
  }

  /** Of the i-th answer: remembered when good, and shared while it is under way. */
  function settle(
    { id, authority, asked }: Fresh,
    i: number,
    answers: Promise<readonly boolean[]>,
    priority: Priority,
  ): Promise<Verdict> {
    const verdict = answers.then((list) => (list[i] === true ? checkCredential(asked, priority) : 'bad-signature'));
    verdict.then(
      (found) => found === 'good' && remember(id, authority),
      () => undefined, // whoever asked is told
    );
    // A check with a budget may end in `not-now`, which is no verdict for others.
    if (asked.budget !== undefined && asked.transaction.transaction?.auth.scheme === 'session') return verdict;
    const flight = { authority, verdict };
    flights.set(id, flight);
    return verdict.finally(() => flights.get(id) === flight && flights.delete(id));
  }

  async function checkCredential({ transaction: decoded, budget }: Asked, priority: Priority): Promise<Verdict> {
    const { transaction, bytes } = decoded;
    if (transaction === undefined || transaction.auth.scheme !== 'session') return 'good';
    return (await sessions.check(transaction, bytes, priority, budget)) ?? 'good';
  }

  function flush(): void {
    cancelGather?.();
    cancelGather = undefined;
    const batch = waiting;
    waiting = [];
    const verdicts = verify(batch, 'client');
    for (const [i, { resolve, reject }] of batch.entries()) (verdicts[i] as Promise<Verdict>).then(resolve, reject);
  }

  return {
    check: (transactions, priority, budget) =>
      Promise.all(
        verify(
          transactions.map((transaction) => ({ transaction, budget })),
          priority,
        ),
      ),
    checkGathered(transaction, budget) {
      return new Promise((resolve, reject) => {
        waiting.push({ transaction, budget, resolve, reject });
        if (waiting.length >= limits.gatherSignaturesMax) flush();
        else cancelGather ??= clock.after(limits.gatherMs, flush);
      });
    },
    stats: () => ({ ...counts }),
  };
}

const NO_TRANSACTION: Promise<Verdict> = Promise.resolve('bad-signature');
const GOOD: Promise<Verdict> = Promise.resolve('good');
