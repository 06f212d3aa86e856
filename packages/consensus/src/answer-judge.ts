/** Answers to the signing-history query: which messages of this validator its log lacks (H5). */
import type { Clock, Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  blockIdOf,
  type Certificate,
  type Epoch,
  type GenesisHash,
  type HistoryAnswer,
  type Proposal,
  proposalCodec,
  proposalMessage,
  type Subject,
  subjectKey,
  subjectMessage,
  type Vote,
} from '@slipstream/types';
import type { Restored } from './context.ts';
import { whenNotFull } from './verdicts.ts';

export interface AnswerJudgeSetting {
  readonly genesisHash: GenesisHash;
  /** That was asked. Indices are of its committee, so nothing of another epoch is judged. */
  readonly epoch: Epoch;
  readonly self: number;
  /** Older messages may be missing in the log. */
  readonly firstRetainedView: number;
  /** Of all epochs. */
  readonly restored: Pick<Restored, 'votes' | 'proposals'>;
  /** Rule 5a applies up to this view; 0: to none. */
  readonly nullifyUpToView: number;
}

interface AnswerJudge {
  /** Names a message of this validator that its log lacks. Ignores invalid signatures. */
  firstUnknown(answer: HistoryAnswer): Promise<string | undefined>;
  /** The highest view of rule 5a with a Finalize of this validator in the answer; 0: none. */
  finalizedView(answer: HistoryAnswer): Promise<number>;
}

export function createAnswerJudge(
  { clock, verifier }: { readonly clock: Clock; readonly verifier: Verifier },
  setting: AnswerJudgeSetting,
): AnswerJudge {
  const { self } = setting;

  async function firstUnknown({ votes, certificates, proposals }: HistoryAnswer): Promise<string | undefined> {
    for (const vote of votes) if (await isUnknownVote(vote)) return subjectKey(vote.subject);
    for (const certificate of certificates) {
      if (await countsUnknownVote(certificate)) return `${subjectKey(certificate.subject)}, counted in a certificate`;
    }
    for (const bytes of proposals) {
      const decoded = proposalCodec.decode(bytes);
      if (decoded.ok && (await isUnknownProposal(decoded.value))) return `proposal of view ${decoded.value.block.view}`;
    }
    return undefined;
  }

  async function isUnknownVote({ subject, signer, signature }: Vote): Promise<boolean> {
    if (!isOwn(subject.epoch, signer) || isKnown(subject)) return false;
    return checkVote(subject.epoch, subjectMessage(setting.genesisHash, subject), signature);
  }

  async function countsUnknownVote({ subject, signers, aggregate }: Certificate): Promise<boolean> {
    const { epoch } = subject;
    if (epoch !== setting.epoch) return false;
    if (!signers.includes(setting.self) || isKnown(subject)) return false;
    const message = subjectMessage(setting.genesisHash, subject);
    return whenNotFull(clock, () => verifier.checkCertificate({ epoch, message, signers, aggregate }, 'consensus'));
  }

  function isOwn(epoch: Epoch, signer: number): boolean {
    return epoch === setting.epoch && signer === self;
  }

  /** True when the log holds this vote, or is too young to hold it. */
  function isKnown(subject: Subject): boolean {
    if (subject.view < setting.firstRetainedView) return true;
    const key = subjectKey(subject);
    return setting.restored.votes.some((vote) => subjectKey(vote.subject) === key);
  }

  async function isUnknownProposal({ kind, block, signature }: Proposal): Promise<boolean> {
    if (!isOwn(block.epoch, block.proposer) || block.view < setting.firstRetainedView) return false;
    const blockId = blockIdOf(block);
    const known = setting.restored.proposals.some(
      (own) => own.kind === kind && bytesEqual(blockIdOf(own.block), blockId),
    );
    if (known) return false;
    const message = proposalMessage(setting.genesisHash, block, kind, blockId);
    return checkVote(block.epoch, message, signature);
  }

  function checkVote(epoch: Epoch, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
    return whenNotFull(clock, () => verifier.checkVote({ epoch, message, signer: self, signature }, 'consensus'));
  }

  async function finalizedView({ votes }: HistoryAnswer): Promise<number> {
    let highest = 0;
    for (const { subject, signer, signature } of votes) {
      const isSought = subject.kind === 'finalize' && subject.view <= setting.nullifyUpToView;
      if (!isSought || !isOwn(subject.epoch, signer) || subject.view <= highest) continue;
      if (await checkVote(subject.epoch, subjectMessage(setting.genesisHash, subject), signature))
        highest = subject.view;
    }
    return highest;
  }

  return { firstUnknown, finalizedView };
}
