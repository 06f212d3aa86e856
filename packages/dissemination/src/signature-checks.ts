/**
 * Signature checks: Ed25519 in batches, each signature at most once in a node.
 *
 *   clients:  gather up to 2 ms --> one batch        chunks: a chunk is a batch
 *   both:     known good? --> no work                in flight? --> its verdict
 *
 * Only good verdicts are kept: a bad signature says nothing about another one under the same id. The memory is bounded and
 * forgets the oldest.
 */
import type { AccountSignature, Clock, Priority, Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import { type DecodedTransaction, hexOf } from '@slipstream/types';
import type { DisseminationLimits } from './limits.ts';

export interface SignatureChecks {
  /** One verdict each, in order; false for what is no transaction. Rejects when the verifier does. */
  check(transactions: readonly DecodedTransaction[], priority: Priority): Promise<readonly boolean[]>;
  /** One transaction, gathered with others that come within gatherMs. */
  checkGathered(transaction: DecodedTransaction): Promise<boolean>;
  /** Batches that went to the verifier, and signatures in them. */
  stats(): { readonly batches: number; readonly signatures: number; readonly known: number };
}

interface Waiting {
  readonly transaction: DecodedTransaction;
  resolve(valid: boolean): void;
  reject(cause: unknown): void;
}

interface Flight {
  readonly signature: Uint8Array;
  readonly verdict: Promise<boolean>;
}

export function createSignatureChecks(
  { verifier, clock }: { readonly verifier: Pick<Verifier, 'checkAccounts'>; readonly clock: Clock },
  limits: Pick<DisseminationLimits, 'gatherMs' | 'gatherSignaturesMax' | 'verdictsMax'>,
): SignatureChecks {
  /** Signature that is good, by transaction id, oldest first. */
  const good = new Map<string, Uint8Array>();
  const flights = new Map<string, Flight>();
  const counts = { batches: 0, signatures: 0, known: 0 };
  let waiting: Waiting[] = [];
  let cancelGather: (() => void) | undefined;

  function remember(id: string, signature: Uint8Array): void {
    good.set(id, signature.slice());
    if (good.size > limits.verdictsMax) good.delete(good.keys().next().value as string);
  }

  function verify(entries: readonly DecodedTransaction[], priority: Priority): readonly Promise<boolean>[] {
    const fresh: { id: string; signature: AccountSignature; at: number }[] = [];
    const verdicts = entries.map((entry, at): Promise<boolean> => {
      if (entry.transaction === undefined) return Promise.resolve(false);
      const { body, auth } = entry.transaction;
      const id = hexOf(entry.id);
      const known = good.get(id);
      const flight = flights.get(id);
      if (known && bytesEqual(known, auth.signature)) {
        counts.known += 1;
        return Promise.resolve(true);
      }
      if (flight && bytesEqual(flight.signature, auth.signature)) {
        counts.known += 1;
        return flight.verdict;
      }
      fresh.push({ id, at, signature: { publicKey: body.sender.bytes, message: entry.id, signature: auth.signature } });
      return PENDING;
    });
    if (fresh.length === 0) return verdicts;
    counts.batches += 1;
    counts.signatures += fresh.length;
    const answers = verifier.checkAccounts(
      fresh.map(({ signature }) => signature),
      priority,
    );
    for (const [i, { id, at, signature }] of fresh.entries()) {
      const verdict = answers.then((list) => list[i] === true);
      const flight = { signature: signature.signature, verdict };
      flights.set(id, flight);
      verdicts[at] = verdict.finally(() => flights.get(id) === flight && flights.delete(id));
      verdict.then(
        (valid) => valid && remember(id, signature.signature),
        () => undefined, // whoever asked is told
      );
    }
    return verdicts;
  }

  function flush(): void {
    cancelGather?.();
    cancelGather = undefined;
    const batch = waiting;
    waiting = [];
    const verdicts = verify(
      batch.map(({ transaction }) => transaction),
      'client',
    );
    for (const [i, { resolve, reject }] of batch.entries()) (verdicts[i] as Promise<boolean>).then(resolve, reject);
  }

  return {
    check: (transactions, priority) => Promise.all(verify(transactions, priority)),
    checkGathered(transaction) {
      return new Promise((resolve, reject) => {
        waiting.push({ transaction, resolve, reject });
        if (waiting.length >= limits.gatherSignaturesMax) flush();
        else cancelGather ??= clock.after(limits.gatherMs, flush);
      });
    },
    stats: () => ({ ...counts }),
  };
}

/** Stands where a verdict is about to be put. */
const PENDING: Promise<boolean> = Promise.resolve(false);
