import type { Statement } from '@slipstream/ports';
import type { Certificate, CertifiedCommittee } from '@slipstream/types';

/** A certificate by its signers' keys, since a verifier holds few committees. */
export function aggregateStatement(
  { signers, aggregate }: Certificate,
  message: Uint8Array,
  { members }: CertifiedCommittee,
): Statement {
  const publicKeys = signers.flatMap((signer) => members[signer]?.blsPublicKey ?? []);
  return { kind: 'aggregate', message, publicKeys, aggregate };
}
