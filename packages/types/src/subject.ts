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
import type { BlockId, GenesisHash, Height, StateDigest, View } from './ids.ts';
import { EPOCH, hexOf } from './ids.ts';

export type Notarize = { readonly kind: 'notarize'; readonly view: View; readonly blockId: BlockId };
export type Nullify = { readonly kind: 'nullify'; readonly view: View };
export type Finalize = { readonly kind: 'finalize'; readonly view: View; readonly blockId: BlockId };
export type Certify = {
  readonly kind: 'certify';
  readonly view: View;
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

const EPOCH_BYTES = uint32le(EPOCH);

/** 32 bytes, for a vote. */
export function subjectMessage(genesisHash: GenesisHash, subject: Subject): Uint8Array {
  const head = [DOMAINS[subject.kind], genesisHash, EPOCH_BYTES, uint64le(subject.view)] as const;
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
  view: View,
  kind: ProposalKind,
  blockId: BlockId,
): Uint8Array {
  const kindByte = new Uint8Array([kind === 'optimistic' ? 0 : 1]);
  return hashInDomain(DOMAINS.proposal, genesisHash, EPOCH_BYTES, uint64le(view), kindByte, blockId);
}

/** Equal for equal subjects only. */
export function subjectKey(subject: Subject): string {
  switch (subject.kind) {
    case 'nullify':
      return `nullify/${subject.view}`;
    case 'notarize':
    case 'finalize':
      return `${subject.kind}/${subject.view}/${hexOf(subject.blockId)}`;
    case 'certify':
      return `certify/${subject.view}/${subject.height}/${hexOf(subject.blockId)}/${hexOf(subject.stateDigest)}`;
    default:
      return unreachable(subject, 'subject');
  }
}
