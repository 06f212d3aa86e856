/**
 * Quorum buffer: one slot per signer, one aggregate check at quorum.
 *
 * Votes are not verified on arrival: the transport authenticates the sender, and an invalid vote costs it the connection.
 *
 *   add --> slot --> quorum? --ready--> (the verifier checks) --complete--> certificate
 *                                                                \--bad--> offenders leave their slots, the others stay,
 *                                                                          proven; ready again at the next quorum
 *
 * A buffer holds the votes on ONE question (a view and kind, a chunk), where two messages of one signer conflict. It is pure; the caller
 * verifies, blocks and sends.
 *
 * INVARIANTS: at most one check of a message is under way; a signer's weight counts for one message at a time; a certificate's signers are
 * exactly those whose signatures were in the checked sum.
 */
import type { QuorumRequest, QuorumResult } from '@slipstream/ports';
import { assert, bytesEqual } from '@slipstream/primitives';
import { isQuorum } from '@slipstream/types';

export interface BufferedVote<Message> {
  /** Committee index of the authenticated sender. */
  readonly signer: number;
  /** Equal for equal messages only. */
  readonly messageKey: string;
  readonly message: Message;
  /** 192 bytes. */
  readonly signature: Uint8Array;
  /** Own, or checked alone: never checked again. */
  readonly verified: boolean;
}

type AddOutcome<Message> =
  | { readonly type: 'stored' }
  | { readonly type: 'duplicate' }
  /** The slot stays. If both messages are valid, they are evidence. */
  | Rivals<Message, 'conflict'>
  /** The slot stays. Signatures are unique, so at least one is bad. */
  | Rivals<Message, 'other-signature'>;

interface Rivals<Message, Type extends string> {
  readonly type: Type;
  readonly existing: BufferedVote<Message>;
  readonly incoming: BufferedVote<Message>;
}

interface ReadyQuorum<Message> {
  readonly messageKey: string;
  readonly message: Message;
  readonly request: QuorumRequest;
}

interface FormedCertificate<Message> {
  readonly message: Message;
  /** Ascending. */
  readonly signers: readonly number[];
  /** 96 bytes. */
  readonly aggregate: Uint8Array;
}

type CompleteOutcome<Message> =
  | { readonly type: 'certificate'; readonly certificate: FormedCertificate<Message> }
  /** Block them, then call `ready` again. */
  | { readonly type: 'offenders'; readonly offenders: readonly BufferedVote<Message>[] };

export interface QuorumBuffer<Message> {
  add(vote: BufferedVote<Message>): AddOutcome<Message>;
  /** For a message not under check. The caller must call `complete` or `abandon`. */
  ready(): ReadyQuorum<Message> | undefined;
  complete(messageKey: string, result: QuorumResult): CompleteOutcome<Message>;
  /** No answer: the quorum may become ready again. */
  abandon(messageKey: string): void;
  remove(signer: number): BufferedVote<Message> | undefined;
  vote(signer: number): BufferedVote<Message> | undefined;
  /** Verified or not. */
  weightFor(messageKey: string): number;
  readonly size: number;
  readonly state: QuorumBufferState<Message>;
}

/** Plain data, from which a new buffer continues. */
export interface QuorumBufferState<Message> {
  readonly slots: Map<number, BufferedVote<Message>>;
  readonly tallies: Map<string, Tally<Message>>;
}

interface QuorumBufferOptions<Message> {
  readonly epoch: number;
  /** By member index. */
  readonly weights: readonly number[];
  /** The 32 bytes that a vote signs. Called once per check. */
  readonly signedBytes: (message: Message) => Uint8Array;
}

/** Exists while a vote is in a slot or a check is under way. */
export interface Tally<Message> {
  readonly messageKey: string;
  readonly message: Message;
  weight: number;
  certified: boolean;
  underCheck: readonly BufferedVote<Message>[] | undefined;
}

export function createQuorumBuffer<Message>(
  options: QuorumBufferOptions<Message>,
  state: QuorumBufferState<Message> = { slots: new Map(), tallies: new Map() },
): QuorumBuffer<Message> {
  const { epoch, weights, signedBytes } = options;
  const { slots, tallies } = state;
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);

  function add(incoming: BufferedVote<Message>): AddOutcome<Message> {
    assert(weights[incoming.signer] !== undefined, 'a vote in a buffer is of a committee member');
    const existing = slots.get(incoming.signer);
    if (existing !== undefined) return compare(existing, incoming);
    const tally = tallyOf(incoming);
    const { messageKey, message } = tally;
    // One shared key and message save a third of the memory.
    slots.set(incoming.signer, { ...incoming, messageKey, message });
    tally.weight += weightOf(incoming.signer);
    return { type: 'stored' };
  }

  function tallyOf({ messageKey, message }: BufferedVote<Message>): Tally<Message> {
    let tally = tallies.get(messageKey);
    if (tally === undefined) {
      tally = { messageKey, message, weight: 0, certified: false, underCheck: undefined };
      tallies.set(messageKey, tally);
    }
    return tally;
  }

  function ready(): ReadyQuorum<Message> | undefined {
    for (const tally of tallies.values()) {
      if (tally.certified || tally.underCheck !== undefined || !isQuorum(tally.weight, { totalWeight })) continue;
      const votes = [...slots.values()].filter(({ messageKey }) => messageKey === tally.messageKey);
      tally.underCheck = votes;
      const { messageKey, message } = tally;
      return { messageKey, message, request: { epoch, message: signedBytes(message), votes } };
    }
    return undefined;
  }

  function complete(messageKey: string, result: QuorumResult): CompleteOutcome<Message> {
    const tally = tallies.get(messageKey);
    assert(tally?.underCheck !== undefined, 'a result belongs to a check under way');
    const checked = tally.underCheck;
    tally.underCheck = undefined;
    if (result.aggregate !== undefined) {
      tally.certified = true;
      const signers = checked.map(({ signer }) => signer).sort((a, b) => a - b);
      return { type: 'certificate', certificate: { message: tally.message, signers, aggregate: result.aggregate } };
    }
    assert(result.offenders.length > 0, 'a quorum that fails has offenders');
    const verified = new Set(result.verified);
    const offending = new Set(result.offenders);
    const offenders = checked.filter(({ signer }) => offending.has(signer));
    for (const vote of checked) {
      // The slot may have changed during the check.
      if (slots.get(vote.signer) !== vote) continue;
      if (offending.has(vote.signer)) remove(vote.signer);
      else if (verified.has(vote.signer)) slots.set(vote.signer, { ...vote, verified: true });
    }
    forgetIfEmpty(tally);
    return { type: 'offenders', offenders };
  }

  function abandon(messageKey: string): void {
    const tally = tallies.get(messageKey);
    assert(tally?.underCheck !== undefined, 'only a check under way is abandoned');
    tally.underCheck = undefined;
    forgetIfEmpty(tally);
  }

  function remove(signer: number): BufferedVote<Message> | undefined {
    const vote = slots.get(signer);
    if (vote === undefined) return undefined;
    slots.delete(signer);
    const tally = tallies.get(vote.messageKey);
    assert(tally !== undefined, 'a vote in a slot is tallied');
    tally.weight -= weightOf(signer);
    forgetIfEmpty(tally);
    return vote;
  }

  function forgetIfEmpty(tally: Tally<Message>): void {
    if (tally.weight === 0 && tally.underCheck === undefined) tallies.delete(tally.messageKey);
  }

  function weightOf(signer: number): number {
    return weights[signer] as number;
  }

  return {
    add,
    ready,
    complete,
    abandon,
    remove,
    vote: (signer) => slots.get(signer),
    weightFor: (messageKey) => tallies.get(messageKey)?.weight ?? 0,
    get size() {
      return slots.size;
    },
    state,
  };
}

function compare<Message>(existing: BufferedVote<Message>, incoming: BufferedVote<Message>): AddOutcome<Message> {
  if (existing.messageKey !== incoming.messageKey) return { type: 'conflict', existing, incoming };
  if (!bytesEqual(existing.signature, incoming.signature)) return { type: 'other-signature', existing, incoming };
  return { type: 'duplicate' };
}
