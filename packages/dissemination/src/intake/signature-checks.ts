/**
 * Signature checks: who authorized a transaction. Ed25519 in batches, each signature at most once at a time in a node; then, for
 * sessions, the credential.
 *
 *   clients:  gather 2 ms, and until the batch before is answered, or until full --> one batch        chunks: a chunk is a batch
 *   both:     in flight? --> its answer              verifier --> known good? --> no work
 *   session key's signature good --> its credential (crypto, "session checks")
 *
 * What was good is remembered by the verifier's cache; here only what is under way is known, so that a transaction that comes as
 * a client's and in a chunk at the same moment is verified once; twice when the chunk would have to wait for the client's turn, since
 * clients can fill their lane. A bad authority says nothing about another one under the same
 * id. Answers are awaited a batch at a time: a promise for each transaction would cost a tenth of its verification.
 * A verdict is a function of bytes and genesis, except `not-now`, which only a check with a budget gives.
 */
import type { Budget, SessionChecks } from '@slipstream/crypto';
import { type AccountSignature, type Clock, isAsUrgent, type Priority, type Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  type AuthorityFault,
  authorityMessage,
  type DecodedTransaction,
  sessionKeyOf,
  type Transaction,
} from '@slipstream/types';
import type { DisseminationLimits } from '../limits.ts';

/** `not-now`: the budget of whoever sent it is spent. */
export type Verdict = 'good' | 'not-now' | AuthorityFault;

/** On a transaction of a chunk: checked without a budget, so every node's. */
export type ChunkVerdict = Exclude<Verdict, 'not-now'>;

/** On whose account: an address, or a peer. */
export interface Payer {
  readonly name: string;
  readonly budget: Budget;
}

export interface SignatureChecks {
  /** One verdict each, in order; `bad-signature` for what is no transaction. Rejects when the verifier does. */
  check(transactions: readonly DecodedTransaction[], priority: Priority, payer?: Payer): Promise<readonly Verdict[]>;
  /** A client's, gathered with others of the same payer that come within gatherMs. */
  checkGathered(transactions: readonly DecodedTransaction[], payer: Payer): Promise<readonly Verdict[]>;
  /** Batches that went to the verifier, signatures in them, and those whose check was under way already. */
  stats(): { readonly batches: number; readonly signatures: number; readonly joined: number };
}

interface Waiting {
  readonly transactions: readonly DecodedTransaction[];
  resolve(verdicts: readonly Verdict[]): void;
  reject(cause: unknown): void;
}

/** A signature in a batch that is with the verifier. */
interface Flight {
  readonly priority: Priority;
  readonly signature: AccountSignature;
  readonly answers: Promise<readonly boolean[]>;
  readonly at: number;
}

/** Of one payer, since the last flush. */
interface Gathering {
  readonly payer: Payer;
  readonly waiting: Waiting[];
  count: number;
}

export interface SignatureCheckParts {
  readonly verifier: Pick<Verifier, 'checkAccounts'>;
  readonly sessions: Pick<SessionChecks, 'check'>;
  readonly clock: Clock;
}

export function createSignatureChecks(
  { verifier, sessions, clock }: SignatureCheckParts,
  limits: Pick<DisseminationLimits, 'gatherMs' | 'gatherSignaturesMax'>,
): SignatureChecks {
  /** By the first 32 bits of the id: of two that share them one is found, and the other may be verified twice. */
  const flights = new Map<number, Flight>();
  const counts = { batches: 0, signatures: 0, joined: 0 };
  const gathering = new Map<string, Gathering>();
  let cancelGather: (() => void) | undefined;
  /** Batches of clients with the verifier: the next one gathers meanwhile, so that a busy verifier gets few large ones. */
  let answering = 0;
  let isDue = false;

  /** Whether the key that speaks for each has signed it. */
  async function areSigned(
    entries: readonly DecodedTransaction[],
    priority: Priority,
    issuer: string | undefined,
  ): Promise<readonly boolean[]> {
    const signed: boolean[] = entries.map(() => false);
    const fresh: AccountSignature[] = [];
    const places: number[] = [];
    const joined: { readonly flight: Flight; readonly place: number }[] = [];
    for (let place = 0; place < entries.length; place++) {
      const { id, transaction } = entries[place] as DecodedTransaction;
      if (transaction === undefined) continue;
      const message = authorityMessage(id, transaction.auth);
      const signature = { publicKey: keyOf(transaction), message, signature: transaction.auth.signature };
      const flight = flights.get(placeOf(message));
      const isJoined = flight && isAsUrgent(flight.priority, priority) && isSame(flight.signature, signature);
      if (isJoined) joined.push({ flight, place });
      else places[fresh.push(signature) - 1] = place;
    }
    counts.joined += joined.length;
    if (fresh.length > 0) {
      const answers = await verify(fresh, priority, issuer);
      for (let i = 0; i < places.length; i++) signed[places[i] as number] = answers[i] === true;
    }
    const failed: number[] = [];
    for (const { flight, place } of joined) {
      try {
        signed[place] = (await flight.answers)[flight.at] === true;
      } catch (cause) {
        if (flight.priority === priority) throw cause;
        failed.push(place);
      }
    }
    if (failed.length === 0) return signed;
    // The lane of others may be full; this one need not be.
    const anew = failed.map((place) => entries[place] as DecodedTransaction);
    const answers = await areSigned(anew, priority, issuer);
    for (const [i, place] of failed.entries()) signed[place] = answers[i] === true;
    return signed;
  }

  async function verify(
    fresh: readonly AccountSignature[],
    priority: Priority,
    issuer: string | undefined,
  ): Promise<readonly boolean[]> {
    counts.batches += 1;
    counts.signatures += fresh.length;
    const answers = verifier.checkAccounts(fresh, priority, issuer);
    for (let at = 0; at < fresh.length; at++) {
      const signature = fresh[at] as AccountSignature;
      flights.set(placeOf(signature.message), { priority, signature, answers, at });
    }
    try {
      return await answers;
    } finally {
      for (const { message } of fresh) {
        if (flights.get(placeOf(message))?.answers === answers) flights.delete(placeOf(message));
      }
    }
  }

  async function check(
    entries: readonly DecodedTransaction[],
    priority: Priority,
    payer?: Payer,
  ): Promise<readonly Verdict[]> {
    const signed = await areSigned(entries, priority, payer?.name);
    const verdicts: Verdict[] = signed.map((isSigned) => (isSigned ? 'good' : 'bad-signature'));
    let asked: readonly number[] = sessionsAmong(entries).filter((at) => signed[at]);
    while (asked.length > 0) {
      await judgeSessions(asked);
      // What turned out true gave its token back: the others are asked again as long as one did.
      const isAnyTrue = asked.some((at) => verdicts[at] === 'good');
      asked = isAnyTrue ? asked.filter((at) => verdicts[at] === 'not-now') : [];
    }
    return verdicts;

    async function judgeSessions(places: readonly number[]): Promise<void> {
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

  function gathered(): void {
    cancelGather = undefined;
    if (answering === 0) flush();
    else isDue = true;
  }

  function flush(): void {
    cancelGather?.();
    cancelGather = undefined;
    isDue = false;
    const batches = [...gathering.values()];
    gathering.clear();
    for (const batch of batches) void answer(batch);
  }

  /** One batch for all that wait; each is told its own part. */
  async function answer({ waiting, payer }: Gathering): Promise<void> {
    answering += 1;
    try {
      const all = waiting.flatMap(({ transactions }) => transactions);
      const verdicts = await check(all, 'client', payer);
      let at = 0;
      for (const { transactions, resolve } of waiting) {
        resolve(verdicts.slice(at, at + transactions.length));
        at += transactions.length;
      }
    } catch (cause) {
      for (const { reject } of waiting) reject(cause);
    } finally {
      answering -= 1;
      if (isDue && answering === 0) flush();
    }
  }

  return {
    check,
    checkGathered(transactions, payer) {
      return new Promise((resolve, reject) => {
        const batch = gathering.get(payer.name) ?? { payer, waiting: [], count: 0 };
        gathering.set(payer.name, batch);
        batch.waiting.push({ transactions, resolve, reject });
        batch.count += transactions.length;
        if (batch.count >= limits.gatherSignaturesMax) flush();
        else if (!isDue) cancelGather ??= clock.after(limits.gatherMs, gathered);
      });
    },
    stats: () => ({ ...counts }),
  };
}

function keyOf({ body, auth }: Transaction): Uint8Array {
  return auth.scheme === 'ed25519' ? body.sender.bytes : sessionKeyOf(auth);
}

function sessionsAmong(entries: readonly DecodedTransaction[]): readonly number[] {
  const places: number[] = [];
  for (let at = 0; at < entries.length; at++) if (entries[at]?.transaction?.auth.scheme === 'session') places.push(at);
  return places;
}

/** A small integer: its hexadecimal twice a signature took longer than all else here. */
function placeOf(id: Uint8Array): number {
  return ((id[0] as number) << 24) | ((id[1] as number) << 16) | ((id[2] as number) << 8) | (id[3] as number);
}

function isSame(a: AccountSignature, b: AccountSignature): boolean {
  return (
    bytesEqual(a.signature, b.signature) && bytesEqual(a.publicKey, b.publicKey) && bytesEqual(a.message, b.message)
  );
}
