/** Checks of quorum signatures, each once: proofs of one block end in one certificate, and a check is a pairing, 25 ms or more in JavaScript. */
import type { CertificateAggregate } from '@slipstream/crypto/browser';
import { toHex } from '@slipstream/primitives';
import type { CertifiedCommittee, ProofSignature } from '@slipstream/types';

/** Blocks whose rows are proven at the same time. */
const REMEMBERED_MAX = 64;

interface SignatureChecks {
  /** Made by these signers of the committee, which is that of the signature's epoch. */
  holds(signature: ProofSignature, committee: CertifiedCommittee): boolean;
}

export function createSignatureChecks(verify: (signature: CertificateAggregate) => boolean): SignatureChecks {
  /** Only those that held, oldest first. */
  const remembered = new Set<string>();
  return {
    holds({ epoch, message, signers, aggregate }, { members }) {
      const name = [epoch, toHex(message), signers.join(), toHex(aggregate)].join(' ');
      if (remembered.has(name)) return true;
      const publicKeys = signers.map((signer) => members[signer]?.blsPublicKey ?? new Uint8Array(0));
      if (!verify({ publicKeys, message, aggregate })) return false;
      remembered.add(name);
      if (remembered.size > REMEMBERED_MAX) remembered.delete(remembered.values().next().value as string);
      return true;
    },
  };
}
