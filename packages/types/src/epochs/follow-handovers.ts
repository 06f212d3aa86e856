/** Follows a chain of handovers from a trusted committee. All hashes are checked first, then all signatures in one batch. */
import { fail, ok, type Result } from '@slipstream/primitives';
import type { CertifiedCommittee } from '../committee.ts';
import { type Epoch, epoch as epochOf, type GenesisHash } from '../ids.ts';
import { checkHandoverStructure, type Handover, type HandoverFault, type HandoverStatement } from './handover.ts';

/** The first that does not hold. */
export interface HandoverRejection {
  readonly epoch: Epoch;
  readonly fault: HandoverFault | 'signature' | 'too-many';
}

/** Followed at once: 56 kB to 53 MB, by the sizes of committees. */
export const HANDOVERS_MAX = 1024;

export const HANDOVER_FAULTS: Readonly<Record<HandoverRejection['fault'], string>> = {
  epoch: 'its certificate is of another epoch',
  digest: 'the certificate is for another digest, block or height',
  record: 'the digest names another record',
  quorum: 'the signers are not a quorum of the committee',
  signature: 'the aggregate is not a signature of these validators',
  'too-many': `more than ${HANDOVERS_MAX} handovers at once`,
};

interface CheckedHandovers {
  /** Of each handover, in order: must hold before the one after counts. */
  readonly statements: readonly HandoverStatement[];
  /** Of the epochs that they lead to. */
  readonly committees: readonly CertifiedCommittee[];
  /** Ended the chain. */
  readonly rejection: HandoverRejection | undefined;
}

/** Checks no signature. `committee`: trusted, of the first handover's epoch. */
export function checkHandovers(
  genesisHash: GenesisHash,
  committee: CertifiedCommittee,
  handovers: readonly Handover[],
): CheckedHandovers {
  const statements: HandoverStatement[] = [];
  const committees: CertifiedCommittee[] = [];
  let current = committee;
  const ended = (fault: HandoverRejection['fault']) => ({
    statements,
    committees,
    rejection: { epoch: current.epoch, fault },
  });
  if (handovers.length > HANDOVERS_MAX) return ended('too-many');
  for (const handover of handovers) {
    const step = checkHandoverStructure(handover, genesisHash, current);
    if (!step.ok) return ended(step.error);
    statements.push(step.value.statement);
    committees.push(step.value.next);
    current = step.value.next;
  }
  return { statements, committees, rejection: undefined };
}

/** The committees that the handovers lead to, in order. `checkBatch`: a verifier's. */
export async function followHandovers(
  genesisHash: GenesisHash,
  committee: CertifiedCommittee,
  handovers: readonly Handover[],
  checkBatch: (statements: readonly HandoverStatement[]) => Promise<readonly boolean[]>,
): Promise<Result<readonly CertifiedCommittee[], HandoverRejection>> {
  const { statements, committees, rejection } = checkHandovers(genesisHash, committee, handovers);
  if (rejection !== undefined) return fail(rejection);
  const bad = (await checkBatch(statements)).indexOf(false);
  return bad === -1 ? ok(committees) : fail({ epoch: epochOf(committee.epoch + bad), fault: 'signature' });
}
