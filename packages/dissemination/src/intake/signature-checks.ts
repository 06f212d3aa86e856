/**
 * Signature checks: a transaction's Ed25519 signature, then a session's credential and signatures of validators' keys (crypto, "authority
 * checks").
 *
 *   clients: gathered into batches (signature-gathering.ts)   chunks: each is a batch
 *   both:    joined with batches under way (signature-flights.ts) --> good --session, keys?--> their checks
 *
 * A verdict is a function of bytes and genesis, except `not-now`, which needs a budget.
 */
import type { AuthorityChecks } from '@slipstream/crypto';
import type { Clock, Priority, Verifier } from '@slipstream/ports';
import { type DecodedTransaction, hasKeySignatures, type Transaction } from '@slipstream/types';
import type { DisseminationLimits } from '../limits.ts';
import { createSignatureFlights, type SignatureFlights } from './signature-flights.ts';
import { type CheckGathered, createSignatureGathering } from './signature-gathering.ts';
import type { Payer, Verdict } from './verdict.ts';

export interface SignatureChecks {
  /** One verdict each, in order; `bad-signature` for undecodable ones. Rejects when the verifier does. */
  check(transactions: readonly DecodedTransaction[], priority: Priority, payer?: Payer): Promise<readonly Verdict[]>;
  /** Gathers a client's with others of its payer within gatherMs. */
  readonly checkGathered: CheckGathered;
  stats: SignatureFlights['stats'];
}

interface SignatureCheckParts {
  readonly verifier: Pick<Verifier, 'checkAccounts'>;
  readonly sessions: Pick<AuthorityChecks, 'check'>;
  readonly clock: Clock;
}

export function createSignatureChecks(
  { verifier, sessions, clock }: SignatureCheckParts,
  limits: Pick<DisseminationLimits, 'gatherMs' | 'gatherSignaturesMax'>,
): SignatureChecks {
  const flights = createSignatureFlights(verifier);

  async function check(
    entries: readonly DecodedTransaction[],
    priority: Priority,
    payer?: Payer,
  ): Promise<readonly Verdict[]> {
    const signed = await flights.areSigned(entries, priority, payer?.name);
    const verdicts: Verdict[] = signed.map((isSigned) => (isSigned ? 'good' : 'bad-signature'));
    let asked: readonly number[] = furtherAmong(entries).filter((at) => signed[at]);
    while (asked.length > 0) {
      await judgeFurther(asked);
      // A true credential gives its token back, so retry the others while one turns out true.
      const isAnyTrue = asked.some((at) => verdicts[at] === 'good');
      asked = isAnyTrue ? asked.filter((at) => verdicts[at] === 'not-now') : [];
    }
    return verdicts;

    async function judgeFurther(places: readonly number[]): Promise<void> {
      const underWay: Promise<void>[] = [];
      for (const at of places) {
        const found = sessions.check(entries[at]?.transaction as Transaction, priority, payer?.budget);
        if (found instanceof Promise) {
          underWay.push(
            found.then((fault) => {
              verdicts[at] = fault ?? 'good';
            }),
          );
        } else verdicts[at] = found ?? 'good';
      }
      await Promise.all(underWay);
    }
  }

  return {
    check,
    checkGathered: createSignatureGathering(clock, (all, payer) => check(all, 'client', payer), limits),
    stats: flights.stats,
  };
}

/** With a credential, or with signatures of validators' keys in their actions. */
function furtherAmong(entries: readonly DecodedTransaction[]): readonly number[] {
  const places: number[] = [];
  for (let at = 0; at < entries.length; at++) {
    const transaction = entries[at]?.transaction;
    if (transaction === undefined) continue;
    if (transaction.auth.scheme === 'session' || hasKeySignatures(transaction.body)) places.push(at);
  }
  return places;
}
