/** Asks the verifier what the core wants to know. */
import type { Clock, Verifier } from '@slipstream/ports';
import { CodedError, unreachable } from '@slipstream/primitives';
import type { Verdict, VerifyRequest } from './events.ts';

/** How soon a check that found the verifier's lane full asks for room again: a thread has done some seventy by then. */
const FULL_RETRY_MS = 100;

export interface VerdictComponents {
  readonly verifier: Verifier;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Each member may have some hundred checks under way (verifications.ts), and a verifier's lane takes some thousand: the hostile third of a
 * large committee can fill it, until the first of its signatures is found bad. So a full lane is waited for; it is no fault of this node.
 */
export async function whenNotFull<T>(clock: VerdictComponents['clock'], check: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'queue-full')) throw error;
    }
    await new Promise<void>((resolve) => {
      clock.after(FULL_RETRY_MS, resolve);
    });
  }
}

export function verdictOn({ verifier, clock }: VerdictComponents, request: VerifyRequest): Promise<Verdict> {
  return whenNotFull(clock, () => ask(verifier, request));
}

async function ask(verifier: Verifier, request: VerifyRequest): Promise<Verdict> {
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
