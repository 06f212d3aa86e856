/** Asks the verifier what the core wants to know. */
import type { Verifier } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import type { Verdict, VerifyRequest } from './events.ts';

export async function verdictOn(verifier: Verifier, request: VerifyRequest): Promise<Verdict> {
  switch (request.type) {
    case 'quorum':
      return { type: 'quorum', result: await verifier.checkQuorum(request.request) };
    case 'certificate':
      return { type: 'certificate', valid: await verifier.checkCertificate(request.request, 'consensus') };
    case 'votes': {
      const { votes, priority } = request;
      const checks = votes.map(({ message, signer, signature }) =>
        verifier.checkVote(message, signer, signature, priority),
      );
      return { type: 'votes', valid: await Promise.all(checks) };
    }
    default:
      return unreachable(request, 'verification');
  }
}
