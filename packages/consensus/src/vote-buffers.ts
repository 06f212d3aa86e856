/**
 * Vote buffers: one QuorumBuffer per (view, kind).
 *
 * A Certify is stored by view too, not by height: blocks of two views may share a height, and a validator signs one Certify in a view (I5).
 * Nullify and Finalize of one validator in one view contradict each other in different slots (I2), so each is compared with the other.
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

export type BufferId = Pick<Subject, 'kind' | 'view'>;

/** For maps and messages; never parsed. */
export function bufferKeyOf({ kind, view }: BufferId): string {
  return `${kind}/${view}`;
}

type AddVoteOutcome =
  | { readonly type: 'stored' | 'duplicate' | 'other-signature' }
  | { readonly type: 'conflict'; readonly existing: Vote };

interface CheckedQuorum {
  readonly subject: Subject;
  readonly certificate: Certificate | undefined;
}

export interface VoteBuffers {
  add(vote: Vote, verified: boolean): AddVoteOutcome;
  /** A quorum to check; `complete` must follow. */
  ready(
    id: BufferId,
  ): { readonly subject: Subject; readonly messageKey: string; readonly request: QuorumRequest } | undefined;
  complete(messageKey: string, subject: Subject, result: QuorumResult): CheckedQuorum | undefined;
  remove(vote: Vote): void;
  /** Of an offender, in other views: what it sent ahead must fail no further check (B7). */
  removeUnproven(member: number, except: View): void;
  /** The new vote was checked alone. */
  replace(vote: Vote): void;
  /** Checked or not: the transport proves the sender. */
  signersOf(kind: Subject['kind'], view: View): readonly number[];
  /** One of each kind. */
  newestOf(member: number): readonly Vote[];
  /** For operators. */
  count(view: View): Readonly<Record<Subject['kind'], number>>;
  prune(below: View): void;
  readonly size: number;
  /** Plain data. */
  state(): VoteBuffersState;
}

export type VoteBuffersState = readonly {
  readonly id: BufferId;
  readonly slots: QuorumBufferState<Subject>;
}[];

/** An honest validator never signs both in one view. */
const EXCLUDES: { readonly [K in Subject['kind']]?: Subject['kind'] } = { nullify: 'finalize', finalize: 'nullify' };

export function createVoteBuffers(
  genesisHash: GenesisHash,
  committee: Committee,
  state: VoteBuffersState = [],
): VoteBuffers {
  const buffers = new Map<string, { readonly id: BufferId; readonly buffer: QuorumBuffer<Subject> }>();
  const buffered = {
    epoch: committee.epoch,
    weights: committee.members.map(({ weight }) => weight),
    signedBytes: (subject: Subject) => subjectMessage(genesisHash, subject),
  };
  for (const { id, slots } of state) {
    buffers.set(bufferKeyOf(id), { id, buffer: createQuorumBuffer<Subject>(buffered, slots) });
  }

  function bufferAt(id: BufferId): QuorumBuffer<Subject> | undefined {
    return buffers.get(bufferKeyOf(id))?.buffer;
  }

  function bufferOf({ kind, view }: BufferId): QuorumBuffer<Subject> {
    const existing = bufferAt({ kind, view });
    if (existing) return existing;
    const buffer = createQuorumBuffer<Subject>(buffered);
    buffers.set(bufferKeyOf({ kind, view }), { id: { kind, view }, buffer });
    return buffer;
  }

  function held(kind: Subject['kind'], view: View, signer: number): Vote | undefined {
    const slot = bufferAt({ kind, view })?.vote(signer);
    return slot && { subject: slot.message, signer, signature: slot.signature };
  }

  function add(vote: Vote, verified: boolean): AddVoteOutcome {
    const { subject, signer, signature } = vote;
    const excluded = EXCLUDES[subject.kind];
    const opposite = excluded && held(excluded, subject.view, signer);
    if (opposite) return { type: 'conflict', existing: opposite };
    const incoming = { signer, messageKey: subjectKey(subject), message: subject, signature, verified };
    const outcome = bufferOf(subject).add(incoming);
    if (outcome.type !== 'conflict') return { type: outcome.type };
    const { message, signature: existingSignature } = outcome.existing;
    return { type: 'conflict', existing: { subject: message, signer, signature: existingSignature } };
  }

  return {
    add,
    ready(id) {
      const ready = bufferAt(id)?.ready();
      return ready && { subject: ready.message, messageKey: ready.messageKey, request: ready.request };
    },
    complete(messageKey, subject, result) {
      const outcome = bufferAt(subject)?.complete(messageKey, result);
      if (!outcome) return undefined;
      if (outcome.type === 'offenders') return { subject, certificate: undefined };
      const { signers, aggregate } = outcome.certificate;
      return { subject, certificate: { subject, signers, aggregate } };
    },
    remove({ subject, signer }) {
      bufferAt(subject)?.remove(signer);
    },
    removeUnproven(member, except) {
      for (const { id, buffer } of buffers.values()) {
        if (id.view !== except && buffer.vote(member)?.verified === false) buffer.remove(member);
      }
    },
    replace(vote) {
      bufferAt(vote.subject)?.remove(vote.signer);
      add(vote, true);
    },
    signersOf(kind, at) {
      const buffer = bufferAt({ kind, view: at });
      return buffer === undefined ? [] : committee.members.flatMap(({ index }) => (buffer.vote(index) ? [index] : []));
    },
    newestOf(member) {
      const newest = new Map<Subject['kind'], View>();
      for (const { id, buffer } of buffers.values()) {
        if (buffer.vote(member) && id.view >= (newest.get(id.kind) ?? 0)) newest.set(id.kind, id.view);
      }
      return [...newest].flatMap(([kind, at]) => held(kind, at, member) ?? []);
    },
    count(view) {
      const sizeOf = (kind: Subject['kind']) => bufferAt({ kind, view })?.size ?? 0;
      return {
        notarize: sizeOf('notarize'),
        nullify: sizeOf('nullify'),
        finalize: sizeOf('finalize'),
        certify: sizeOf('certify'),
      };
    },
    prune(below) {
      for (const [key, { id }] of buffers) if (id.view < below) buffers.delete(key);
    },
    get size() {
      return buffers.size;
    },
    state: () => [...buffers.values()].map(({ id, buffer }) => ({ id, slots: buffer.state })),
  };
}
