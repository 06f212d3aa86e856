/** What the worker verifies of one node. */
import {
  type CertificateVerifier,
  ClientError,
  createCertificateVerifier,
  createClient,
  followEpochs,
  verifyEvidence,
} from '@slipstream/client';
import type { EvidenceView } from '@slipstream/schema';
import { workerTimers } from '../stream/worker-timers.ts';
import { knownEpochs } from './known-epochs.ts';
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
    const epochs = await knownEpochs(await genesisFile(), client);
    if (!epochs.ok) throw new ClientError('malformed-answer', epochs.error);
    const created = createCertificateVerifier(epochs.value);
    if (!created.ok) throw new ClientError('malformed-answer', created.error);
    return created.value;
  }

  const checker = createLiveChecker({
    timers: workerTimers,
    certificates: (height) => client.certificates(height),
    async verifier(epoch) {
      verifier ??= createVerifier().catch((error: unknown) => {
        verifier = undefined;
        throw error;
      });
      const { committees } = await verifier;
      if (committees.of(epoch) === undefined) await followEpochs(client, committees);
      return verifier;
    },
    onVerdict: (verdict, counters, genesisHash) => send({ type: 'block', verdict, counters, genesisHash }),
    onCounters: (counters) => send({ type: 'counters', counters }),
  });

  return {
    blocks: (blocks) => checker.add(blocks),
    async evidence(id, item) {
      const fault = await genesisFile().then(
        async (file) => {
          const epochs = await knownEpochs(file, client);
          const verified = epochs.ok ? verifyEvidence(item, epochs.value) : epochs;
          return verified.ok ? null : verified.error;
        },
        (error: Error) => error.message,
      );
      send({ type: 'evidence', verdict: { id, fault } });
    },
    stop: () => checker.stop(),
  };
}
