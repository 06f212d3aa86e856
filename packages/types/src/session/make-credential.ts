/** On the issuing chain, from an inclusion proof of the grant's transaction. */
import { bytesEqual, fail, ok, type Result } from '@slipstream/primitives';
import type { InclusionProof } from '../proof.ts';
import { type CommitteeCertificate, ISSUING_MEMBERS_MAX } from './committee-certificate.ts';
import { CREDENTIAL_PREIMAGES_MAX, type Credential, credentialProofCodec } from './credential.ts';
import type { Grant } from './grant.ts';

type CredentialObstacle =
  /** The nearest state certificate is too far above; a later one may not be. */
  | 'too-far'
  /** Another target chain needs one of this chain's committee. */
  | 'no-committee-certificate';

/** With the root key's certificate, or of a later epoch, which the target's state has to know. */
export type IssuingCommittee = Pick<CommitteeCertificate, 'rootKey' | 'expiryMs' | 'members'> & {
  readonly signature: Uint8Array | undefined;
};

export function makeCredential(
  grant: Grant,
  inclusion: InclusionProof,
  certificate: IssuingCommittee | undefined,
): Result<Credential, CredentialObstacle> {
  if (inclusion.preimages.length > CREDENTIAL_PREIMAGES_MAX) return fail('too-far');
  const isOwn = bytesEqual(grant.issuer, grant.target);
  if (!isOwn && (certificate === undefined || certificate.members.length > ISSUING_MEMBERS_MAX)) {
    return fail('no-committee-certificate');
  }
  const foreign = isOwn ? undefined : certificate;
  const { receipt, path, preimages, certificate: state } = inclusion;
  const proof = credentialProofCodec.encode({
    receipt,
    path,
    preimages,
    certificate: state,
    members: foreign?.members ?? [],
    committeeSignature: foreign?.signature,
  });
  const root = foreign && { key: foreign.rootKey, expiryMs: foreign.expiryMs };
  return ok({ grant, root, proof });
}
