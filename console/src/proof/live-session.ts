/** What the worker verifies of one node. */
import {
  type CertificateVerifier,
  ClientError,
  createCertificateVerifier,
  createClient,
  verifyEvidence,
} from '@slipstream/client';
import type { EvidenceView } from '@slipstream/schema';
import { workerTimers } from '../stream/worker-timers.ts';
import { createLiveChecker } from './live-checker.ts';
import type { BlockToVerify, LiveAnswer } from './live-message.ts';

export interface LiveSession {
  blocks(blocks: readonly BlockToVerify[]): void;
  evidence(id: number, item: EvidenceView): Promise<void>;
  stop(): void;
}

export function createLiveSession(url: string, send: (answer: LiveAnswer) => void): LiveSession {
  const client = createClient({ url });
  let genesis: Promise<unknown> | undefined;
  let verifier: Promise<CertificateVerifier> | undefined;

  /** A failed request is repeated by the next caller. */
  function genesisFile(): Promise<unknown> {
    genesis ??= client.genesis().catch((error: unknown) => {
      genesis = undefined;
      throw error;
    });
    return genesis;
  }

  async function createVerifier(): Promise<CertificateVerifier> {
    const created = createCertificateVerifier(await genesisFile());
    if (!created.ok) throw new ClientError('malformed-answer', created.error);
    return created.value;
  }

  const checker = createLiveChecker({
    timers: workerTimers,
    certificates: (height) => client.certificates(height),
    verifier() {
      verifier ??= createVerifier().catch((error: unknown) => {
        verifier = undefined;
        throw error;
      });
      return verifier;
    },
    onVerdict: (verdict, counters, genesisHash) => send({ type: 'block', verdict, counters, genesisHash }),
    onCounters: (counters) => send({ type: 'counters', counters }),
  });

  return {
    blocks: (blocks) => checker.add(blocks),
    async evidence(id, item) {
      const fault = await genesisFile().then(
        (file) => {
          const verified = verifyEvidence(item, file);
          return verified.ok ? null : verified.error;
        },
        (error: Error) => error.message,
      );
      send({ type: 'evidence', verdict: { id, fault } });
    },
    stop: () => checker.stop(),
  };
}
