/** The core's checks, by the verifier. */
import type { CertificateRequest, Clock, Verifier } from '@slipstream/ports';
import { CodedError, unreachable } from '@slipstream/primitives';
import type { Verdict, VerifyRequest } from './events.ts';

/** When the verifier's lane is full; a thread does some seventy checks meanwhile. */
const FULL_RETRY_MS = 100;

interface VerdictComponents {
  readonly verifier: Verifier;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * A full lane is no fault of this node: each member may have PENDING_PER_SENDER_MAX checks under way, so the faulty third of a large
 * committee can fill it until its first bad signature is found.
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

/** Of one step, in order: certificates of one frame or answer, so of one sender, go on as one batch. */
export async function verdictsOnCertificates(
  { verifier, clock }: VerdictComponents,
  requests: readonly CertificateRequest[],
): Promise<readonly Verdict[]> {
  const batch = requests.map((request) => ({ kind: 'certificate', ...request }) as const);
  const answers = await whenNotFull(clock, () => verifier.checkBatch(batch, 'consensus'));
  return answers.map((valid) => ({ type: 'certificate', valid }));
}

async function ask(verifier: Verifier, request: VerifyRequest): Promise<Verdict> {
  switch (request.type) {
    case 'quorum':
      return { type: 'quorum', result: await verifier.checkQuorum(request.request) };
    case 'certificate':
      return { type: 'certificate', valid: await verifier.checkCertificate(request.request, 'consensus') };
    case 'votes': {
      const { votes, priority } = request;
      const batch = votes.map((vote) => ({ kind: 'vote', ...vote }) as const);
      return { type: 'votes', valid: await verifier.checkBatch(batch, priority) };
    }
    default:
      return unreachable(request, 'verification');
  }
}
