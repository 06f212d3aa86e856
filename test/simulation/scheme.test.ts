import { sha256, utf8 } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import type { SignatureScheme } from './harness/scheme.ts';
import { createScheme } from './harness/signature-scheme.ts';

const MEMBERS = 4;
const SIGNERS = [0, 1, 2];
const message = sha256(utf8('signed in one epoch'));

/** In epoch 1 the members 0 to 3 have the key pairs 4 to 7. */
async function quorumOf(scheme: SignatureScheme, epoch: number) {
  const votes = SIGNERS.map(async (signer) => {
    const [signature] = await scheme.signer(MEMBERS * epoch + signer).sign([message]);
    return { signer, signature: signature as Uint8Array, verified: false };
  });
  return { epoch, message, votes: await Promise.all(votes) };
}

describe.each([false, true])('a scheme (real: %s)', (real) => {
  it('judges votes and certificates by the committee of their epoch, until it is dropped (W10)', async () => {
    const scheme = createScheme('epochs', MEMBERS, real);
    const { verifier } = scheme;
    expect(scheme.publicKeys).toEqual([0, 1, 2, 3].map((key) => scheme.signer(key).publicKey));
    const next = [4, 5, 6, 7].map((key) => scheme.signer(key).publicKey);
    scheme.addCommittee(1, next);
    for (const epoch of [0, 1]) {
      const quorum = await quorumOf(scheme, epoch);
      const { aggregate } = await verifier.checkQuorum(quorum);
      const certificate = { message, signers: SIGNERS, aggregate: aggregate as Uint8Array };
      const { signature } = quorum.votes[2] as (typeof quorum.votes)[number];
      for (const named of [0, 1, 2]) {
        const isOwn = named === epoch;
        expect(await verifier.checkCertificate({ ...certificate, epoch: named }, 'block')).toBe(isOwn);
        expect(await verifier.checkVote({ epoch: named, message, signer: 2, signature }, 'block')).toBe(isOwn);
      }
      expect(await verifier.checkQuorum({ ...quorum, epoch: 1 - epoch })).toMatchObject({ offenders: SIGNERS });
    }
    const quorum = await quorumOf(scheme, 1);
    scheme.dropCommittee(1);
    await expect(verifier.checkQuorum(quorum)).rejects.toThrow();
  });
});
