/**
 * Vote buffers: one QuorumBuffer per (view, kind), for the retained views.
 *
 * Certify has a slot per view too, because rivals of one height are legal. Nullify and Finalize of one validator in one view contradict
 * each other in different slots (I2), so each is compared with the other.
 */
import { createQuorumBuffer, type QuorumBuffer, type QuorumBufferState } from '@slipstream/crypto';
import type { QuorumRequest, QuorumResult } from '@slipstream/ports';
import {
  type Certificate,
  type Committee,
  type GenesisHash,
  type Subject,
  subjectKey,
  subjectMessage,
  type View,
  type Vote,
} from '@slipstream/types';

export type BufferKey = `${Subject['kind']}/${number}`;

export function bufferKeyOf(subject: Pick<Subject, 'kind' | 'view'>): BufferKey {
  return `${subject.kind}/${subject.view}`;
}

function partsOf(key: BufferKey): [kind: Subject['kind'], view: number] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash) as Subject['kind'], Number(key.slice(slash + 1))];
}

export type AddVoteOutcome =
  | { readonly type: 'stored' | 'duplicate' | 'other-signature' }
  | { readonly type: 'conflict'; readonly existing: Vote };

export interface CheckedQuorum {
  readonly subject: Subject;
  readonly certificate: Certificate | undefined;
}

export interface VoteBuffers {
  add(vote: Vote, verified: boolean): AddVoteOutcome;
  /** Takes a quorum to check; the caller must call `complete` for it. */
  ready(
    key: BufferKey,
  ): { readonly subject: Subject; readonly messageKey: string; readonly request: QuorumRequest } | undefined;
  complete(key: BufferKey, messageKey: string, subject: Subject, result: QuorumResult): CheckedQuorum | undefined;
  remove(vote: Vote): void;
  /** Replaces the signer's vote by one that was checked alone. */
  replace(vote: Vote): void;
  /** Members with a stored vote of the kind and view, checked or not: the transport proves who sent it. */
  signersOf(kind: Subject['kind'], view: View): readonly number[];
  /** A member's newest stored vote of each kind. */
  newestOf(member: number): readonly Vote[];
  /** Votes of a view by kind; operators see them as participation. */
  count(view: View): Readonly<Record<Subject['kind'], number>>;
  prune(below: View): void;
  readonly size: number;
  /** Plain data. */
  state(): VoteBuffersState;
}

export type VoteBuffersState = ReadonlyMap<BufferKey, QuorumBufferState<Subject>>;

/** Kinds of which an honest validator never signs both in one view. */
const EXCLUDES: { readonly [K in Subject['kind']]?: Subject['kind'] } = { nullify: 'finalize', finalize: 'nullify' };

export function createVoteBuffers(
  genesisHash: GenesisHash,
  committee: Committee,
  state: VoteBuffersState = new Map(),
): VoteBuffers {
  const buffers = new Map<BufferKey, QuorumBuffer<Subject>>();
  const weights = committee.members.map(({ weight }) => weight);
  const signedBytes = (subject: Subject) => subjectMessage(genesisHash, subject);
  for (const [key, slots] of state) buffers.set(key, createQuorumBuffer<Subject>({ weights, signedBytes }, slots));

  function bufferOf(key: BufferKey): QuorumBuffer<Subject> {
    const existing = buffers.get(key);
    if (existing) return existing;
    const fresh = createQuorumBuffer<Subject>({ weights, signedBytes });
    buffers.set(key, fresh);
    return fresh;
  }

  function held(kind: Subject['kind'], view: View, signer: number): Vote | undefined {
    const slot = buffers.get(bufferKeyOf({ kind, view } as Subject))?.vote(signer);
    return slot && { subject: slot.message, signer, signature: slot.signature };
  }

  function add(vote: Vote, verified: boolean): AddVoteOutcome {
    const { subject, signer, signature } = vote;
    const excluded = EXCLUDES[subject.kind];
    const opposite = excluded && held(excluded, subject.view, signer);
    if (opposite) return { type: 'conflict', existing: opposite };
    const incoming = { signer, messageKey: subjectKey(subject), message: subject, signature, verified };
    const outcome = bufferOf(bufferKeyOf(subject)).add(incoming);
    if (outcome.type !== 'conflict') return { type: outcome.type };
    const { message, signature: existingSignature } = outcome.existing;
    return { type: 'conflict', existing: { subject: message, signer, signature: existingSignature } };
  }

  return {
    add,
    ready(key) {
      const ready = buffers.get(key)?.ready();
      return ready && { subject: ready.message, messageKey: ready.messageKey, request: ready.request };
    },
    complete(key, messageKey, subject, result) {
      const outcome = buffers.get(key)?.complete(messageKey, result);
      if (!outcome) return undefined;
      if (outcome.type === 'offenders') return { subject, certificate: undefined };
      const { signers, aggregate } = outcome.certificate;
      return { subject, certificate: { subject, signers, aggregate } };
    },
    remove({ subject, signer }) {
      buffers.get(bufferKeyOf(subject))?.remove(signer);
    },
    replace(vote) {
      buffers.get(bufferKeyOf(vote.subject))?.remove(vote.signer);
      add(vote, true);
    },
    signersOf(kind, at) {
      const buffer = buffers.get(bufferKeyOf({ kind, view: at }));
      return buffer === undefined ? [] : committee.members.flatMap(({ index }) => (buffer.vote(index) ? [index] : []));
    },
    newestOf(member) {
      const newest = new Map<Subject['kind'], number>();
      for (const [key, buffer] of buffers) {
        if (!buffer.vote(member)) continue;
        const [kind, at] = partsOf(key);
        newest.set(kind, Math.max(newest.get(kind) ?? 0, at));
      }
      return [...newest].flatMap(([kind, at]) => held(kind, at as View, member) ?? []);
    },
    count(view) {
      const sizeOf = (kind: Subject['kind']) => buffers.get(bufferKeyOf({ kind, view } as Subject))?.size ?? 0;
      return {
        notarize: sizeOf('notarize'),
        nullify: sizeOf('nullify'),
        finalize: sizeOf('finalize'),
        certify: sizeOf('certify'),
      };
    },
    prune(below) {
      for (const key of buffers.keys()) if (partsOf(key)[1] < below) buffers.delete(key);
    },
    get size() {
      return buffers.size;
    },
    state: () => new Map([...buffers].map(([key, buffer]) => [key, buffer.state])),
  };
}
