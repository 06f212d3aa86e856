/** Pending verifications. Bounded per member, so a flood of certificates delays only its sender. */
import type { PeerKey } from '@slipstream/ports';
import type { Block, BlockId, Certificate, Finalization, StateCertificate, Subject, Vote } from '@slipstream/types';
import type { Candidate } from './proposal-store.ts';
import { type BufferId, bufferKeyOf } from './vote-buffers.ts';

export type Verification =
  | {
      readonly type: 'quorum';
      readonly messageKey: string;
      readonly subject: Subject;
      readonly votes: number;
    }
  | { readonly type: 'certificate'; readonly certificate: Certificate }
  /** Held aside until its last certificate is verified. */
  | { readonly type: 'range'; readonly range: ServedRange }
  | { readonly type: 'proposal'; readonly candidate: Candidate }
  /** From a validator that does not lead the view; not stored yet. */
  | { readonly type: 'relayed-proposal'; readonly candidate: Candidate }
  | { readonly type: 'rival-proposal'; readonly first: Candidate; readonly second: Candidate }
  | { readonly type: 'conflict'; readonly first: Vote; readonly second: Vote }
  /** Two signatures under one vote: at least one is invalid. */
  | { readonly type: 'other-signature'; readonly vote: Vote }
  /** Checked alone before it counts: of a suspect, or because votes are checked on arrival. */
  | { readonly type: 'alone'; readonly vote: Vote };

/** Consecutive final blocks from a peer, and the certificate of the last. */
export interface ServedRange {
  readonly blocks: readonly Block[];
  readonly ids: readonly BlockId[];
  readonly certifiedBy: Finalization | StateCertificate;
  /** Each is checked for itself. */
  readonly others: readonly Certificate[];
}

/** The certificates of one justification (65) and one frame (64) fit. */
const PENDING_PER_SENDER_MAX = 160;

export type Sender = PeerKey | 'self';

export interface Verifications {
  /** A token; undefined when the sender has too many checks under way. Never undefined for 'self'. */
  begin(sender: Sender, verification: Verification): number | undefined;
  end(token: number): { readonly sender: Sender; readonly verification: Verification } | undefined;
  /**
   * A certificate of this kind and view, or an own quorum, is being checked. Others wait, one per sender: an invalid one cannot hide a
   * valid one, and a certificate from many peers costs one check.
   */
  isChecking(id: BufferId): boolean;
  wait(id: BufferId, sender: Sender, certificate: Certificate): void;
  nextWaiting(id: BufferId): { readonly sender: Sender; readonly certificate: Certificate } | undefined;
  dropWaiting(id: BufferId): void;
  holdsRange(sender: Sender): boolean;
  readonly size: number;
  readonly state: VerificationsState;
}

/** Plain data. */
export interface VerificationsState {
  readonly pending: Map<number, { readonly sender: Sender; readonly verification: Verification }>;
  readonly perSender: Map<Sender, number>;
  /** By buffer key, like `waiting`. */
  readonly checking: Set<string>;
  readonly waiting: Map<string, Map<Sender, Certificate>>;
  nextToken: number;
}

const nothingUnderWay = (): VerificationsState => ({
  pending: new Map(),
  perSender: new Map(),
  checking: new Set(),
  waiting: new Map(),
  nextToken: 1,
});

export function createVerifications(state: VerificationsState = nothingUnderWay()): Verifications {
  const { pending, perSender, checking, waiting } = state;

  return {
    begin(sender, verification) {
      const count = perSender.get(sender) ?? 0;
      if (sender !== 'self' && count >= PENDING_PER_SENDER_MAX) return undefined;
      perSender.set(sender, count + 1);
      const key = keyOf(verification);
      if (key !== undefined) checking.add(key);
      const token = state.nextToken++;
      pending.set(token, { sender, verification });
      return token;
    },
    end(token) {
      const found = pending.get(token);
      if (!found) return undefined;
      pending.delete(token);
      const left = (perSender.get(found.sender) ?? 1) - 1;
      if (left > 0) perSender.set(found.sender, left);
      else perSender.delete(found.sender);
      const key = keyOf(found.verification);
      if (key !== undefined) checking.delete(key);
      return found;
    },
    isChecking: (id) => checking.has(bufferKeyOf(id)),
    wait(id, sender, certificate) {
      const key = bufferKeyOf(id);
      const line = waiting.get(key) ?? new Map<Sender, Certificate>();
      if (!line.has(sender)) line.set(sender, certificate);
      waiting.set(key, line);
    },
    nextWaiting(id) {
      const key = bufferKeyOf(id);
      const line = waiting.get(key);
      const next = line?.entries().next().value;
      if (!line || !next) return undefined;
      line.delete(next[0]);
      if (line.size === 0) waiting.delete(key);
      return { sender: next[0], certificate: next[1] };
    },
    dropWaiting(id) {
      waiting.delete(bufferKeyOf(id));
    },
    holdsRange(sender) {
      for (const held of pending.values()) {
        if (held.sender === sender && held.verification.type === 'range') return true;
      }
      return false;
    },
    get size() {
      return pending.size;
    },
    state,
  };
}

/** For checks that would yield a certificate. */
function keyOf(verification: Verification): string | undefined {
  if (verification.type === 'certificate') return bufferKeyOf(verification.certificate.subject);
  return verification.type === 'quorum' ? bufferKeyOf(verification.subject) : undefined;
}
