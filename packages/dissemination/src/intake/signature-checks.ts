/**
 * Signature checks: a transaction's Ed25519 signature, then a session's credential and signatures of validators' keys (crypto, "authority
 * checks").
 *
 *   clients: gathered into batches (signature-gathering.ts)   chunks: each is a batch
 *   both:    joined with batches under way (signature-flights.ts) --> good --session, keys?--> their checks
 *
 * A verdict is a function of bytes, and of records up to an epoch: the chunk's, or the current one for what is in no chunk. Except
 * `not-now`, which needs a budget.
 */
import type { AuthorityChecks } from '@slipstream/crypto';
import type { Clock, Priority, Verifier } from '@slipstream/ports';
import { type DecodedTransaction, type Epoch, hasKeySignatures, type Transaction } from '@slipstream/types';
import type { Committees } from '../epochs/committees.ts';
import type { DisseminationLimits } from '../limits.ts';
import { createSignatureFlights, type SignatureFlights } from './signature-flights.ts';
import { type CheckGathered, createSignatureGathering } from './signature-gathering.ts';
import type { Payer, Verdict } from './verdict.ts';

export interface SignatureChecks {
  /** Of a chunk of this epoch. One verdict each, in order; `bad-signature` for undecodable ones. Rejects when the verifier does. */
  checkChunk(transactions: readonly DecodedTransaction[], epoch: Epoch): Promise<readonly Verdict[]>;
  /** As a chunk of the current epoch could hold them. */
  checkForwarded(transactions: readonly DecodedTransaction[], payer: Payer): Promise<readonly Verdict[]>;
  /** The same, gathered with others of the client within gatherMs. */
  readonly checkGathered: CheckGathered;
  stats: SignatureFlights['stats'];
}

interface SignatureCheckParts {
  readonly verifier: Pick<Verifier, 'checkAccounts'>;
  readonly sessions: Pick<AuthorityChecks, 'check'>;
  readonly clock: Clock;
  readonly committees: Pick<Committees, 'current'>;
}

export function createSignatureChecks(
  { verifier, sessions, clock, committees }: SignatureCheckParts,
  limits: Pick<DisseminationLimits, 'gatherMs' | 'gatherSignaturesMax'>,
): SignatureChecks {
  const flights = createSignatureFlights(verifier);

  async function check(
    entries: readonly DecodedTransaction[],
    priority: Priority,
    epoch: Epoch,
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
        const found = sessions.check(entries[at]?.transaction as Transaction, priority, epoch, payer?.budget);
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

  const checkPooled: CheckGathered = (all, payer) => check(all, 'client', committees.current.epoch, payer);

  return {
    checkChunk: (entries, epoch) => check(entries, 'chunk', epoch),
    checkForwarded: checkPooled,
    checkGathered: createSignatureGathering(clock, checkPooled, limits),
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
