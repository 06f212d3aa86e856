/**
 * Subjects: what votes sign about a view, and what certificates prove.
 *
 *   subject      certificate of a quorum     says
 *   notarize     Notarization                this block may be built on, and no other of its view
 *   nullify      Nullification               this view has no final block
 *   finalize     Finalization                this block and its ancestors are final
 *   certify      StateCertificate            executing this block gave this state digest
 *
 * Signed: SHA-256(domain || genesisHash || epoch || fields), one domain per kind.
 */
import { domainPrefix, hashInDomain, uint32le, uint64le, unreachable } from '@slipstream/primitives';
import type { BlockId, Epoch, GenesisHash, Height, StateDigest, View } from './ids.ts';
import { hexOf } from './ids.ts';

type Of<Kind> = { readonly kind: Kind; readonly epoch: Epoch; readonly view: View };
export type Notarize = Of<'notarize'> & { readonly blockId: BlockId };
export type Nullify = Of<'nullify'>;
export type Finalize = Of<'finalize'> & { readonly blockId: BlockId };
export type Certify = Of<'certify'> & {
  readonly height: Height;
  readonly blockId: BlockId;
  readonly stateDigest: StateDigest;
};
export type Subject = Notarize | Nullify | Finalize | Certify;
export type SubjectKind = Subject['kind'];

export const SUBJECT_KINDS = ['notarize', 'nullify', 'finalize', 'certify'] as const satisfies readonly SubjectKind[];

const DOMAINS = {
  notarize: domainPrefix('slipstream/notarize'),
  nullify: domainPrefix('slipstream/nullify'),
  finalize: domainPrefix('slipstream/finalize'),
  certify: domainPrefix('slipstream/certify'),
  proposal: domainPrefix('slipstream/proposal'),
} as const;

/** 32 bytes, for a vote. */
export function subjectMessage(genesisHash: GenesisHash, subject: Subject): Uint8Array {
  const head = [DOMAINS[subject.kind], genesisHash, uint32le(subject.epoch), uint64le(subject.view)] as const;
  switch (subject.kind) {
    case 'nullify':
      return hashInDomain(...head);
    case 'notarize':
    case 'finalize':
      return hashInDomain(...head, subject.blockId);
    case 'certify':
      return hashInDomain(...head, uint64le(subject.height), subject.blockId, subject.stateDigest);
    default:
      return unreachable(subject, 'subject');
  }
}

export type ProposalKind = 'optimistic' | 'normal';

/** 32 bytes, for a leader. */
export function proposalMessage(
  genesisHash: GenesisHash,
  { epoch, view }: { readonly epoch: Epoch; readonly view: View },
  kind: ProposalKind,
  blockId: BlockId,
): Uint8Array {
  const kindByte = new Uint8Array([kind === 'optimistic' ? 0 : 1]);
  return hashInDomain(DOMAINS.proposal, genesisHash, uint32le(epoch), uint64le(view), kindByte, blockId);
}

/** Equal for equal subjects only. */
export function subjectKey(subject: Subject): string {
  const { epoch } = subject;
  switch (subject.kind) {
    case 'nullify':
      return `${epoch}/nullify/${subject.view}`;
    case 'notarize':
    case 'finalize':
      return `${epoch}/${subject.kind}/${subject.view}/${hexOf(subject.blockId)}`;
    case 'certify':
      return `${epoch}/certify/${subject.view}/${subject.height}/${hexOf(subject.blockId)}/${hexOf(subject.stateDigest)}`;
    default:
      return unreachable(subject, 'subject');
  }
}
