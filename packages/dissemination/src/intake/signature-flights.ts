/**
 * Signature flights: Ed25519 batches at the verifier.
 *
 *   signature --in a batch under way?--yes--> that batch's answer
 *                                    \--no--> a batch of its own call
 *
 * The verifier's cache knows only finished signatures; this part verifies once what a client and a chunk bring at the same moment. A chunk
 * joins no client batch: clients can fill their lane. Answers are awaited by batch, as promises per transaction are slow.
 */
import { type AccountSignature, isAsUrgent, type Priority, type Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import { authorityMessage, type DecodedTransaction, sessionKeyOf, type Transaction } from '@slipstream/types';

export interface SignatureFlights {
  /** Whether each transaction's authorizing key signed it. `issuer`: the payer; undefined for a chunk. */
  areSigned(
    entries: readonly DecodedTransaction[],
    priority: Priority,
    issuer: string | undefined,
  ): Promise<readonly boolean[]>;
  /** `joined`: signatures that joined a batch under way. */
  stats(): { readonly batches: number; readonly signatures: number; readonly joined: number };
}

interface Flight {
  readonly priority: Priority;
  readonly signature: AccountSignature;
  readonly answers: Promise<readonly boolean[]>;
  readonly at: number;
}

interface JoinedFlight {
  readonly flight: Flight;
  readonly place: number;
}

interface Sorted {
  readonly fresh: readonly AccountSignature[];
  /** Each fresh one's place among the transactions. */
  readonly places: readonly number[];
  readonly joined: readonly JoinedFlight[];
}

export function createSignatureFlights(verifier: Pick<Verifier, 'checkAccounts'>): SignatureFlights {
  /** By the first 32 bits of the id. On a collision one may be verified twice. */
  const flights = new Map<number, Flight>();
  const counts = { batches: 0, signatures: 0, joined: 0 };

  function sort(entries: readonly DecodedTransaction[], priority: Priority): Sorted {
    const fresh: AccountSignature[] = [];
    const places: number[] = [];
    const joined: JoinedFlight[] = [];
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
    return { fresh, places, joined };
  }

  async function areSigned(
    entries: readonly DecodedTransaction[],
    priority: Priority,
    issuer: string | undefined,
  ): Promise<readonly boolean[]> {
    const signed: boolean[] = entries.map(() => false);
    const { fresh, places, joined } = sort(entries, priority);
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
    // The batch was in another lane, which may be full; this lane's need not be.
    const again = failed.map((place) => entries[place] as DecodedTransaction);
    const answers = await areSigned(again, priority, issuer);
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

  return { areSigned, stats: () => ({ ...counts }) };
}

function keyOf({ body, auth }: Transaction): Uint8Array {
  return auth.scheme === 'ed25519' ? body.sender.bytes : sessionKeyOf(auth);
}

/** An integer, as hexadecimal text is slow. */
function placeOf(id: Uint8Array): number {
  return ((id[0] as number) << 24) | ((id[1] as number) << 16) | ((id[2] as number) << 8) | (id[3] as number);
}

function isSame(a: AccountSignature, b: AccountSignature): boolean {
  return (
    bytesEqual(a.signature, b.signature) && bytesEqual(a.publicKey, b.publicKey) && bytesEqual(a.message, b.message)
  );
}
