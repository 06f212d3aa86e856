/**
 * Threads that check signatures, behind a cache of results.
 *
 *   consensus, dissemination --> cache, on the caller's thread --miss--> verifier threads
 */
import { availableParallelism } from 'node:os';
import {
  createCachedVerifier,
  createVerificationCache,
  SIP_KEY_BYTES,
  VERIFICATION_CACHE_DEFAULTS,
  type VerificationCacheStats,
} from '@slipstream/crypto';
import { createWorkerVerifier, type VerifierStats } from '@slipstream/crypto/native';
import type { Config } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import { checkOneByOne, type Signer, type Verifier } from '@slipstream/ports';
import { epochKeysOf } from '@slipstream/types';
import { threadFailure } from '../threads/thread.ts';
import type { NodeWorld } from './node-world.ts';
import { createRevocableSigner } from './revocable-signer.ts';

export interface Verification {
  readonly verifier: Verifier;
  /** Undefined on a full node. */
  readonly signer: Signer | undefined;
  revokeSigning(): void;
  stats(): VerifierStats & { readonly cache: VerificationCacheStats };
  report(): void;
  stop(): Promise<void>;
}

/** Threads that order, execute and serve. */
const OTHER_THREADS = 3;
/** The main thread opens the chunks, and feeds no more verifier threads than this. */
const SIZED_MAX = 16;

/** As configured, or one per core that the other threads leave. */
export function verifierThreads(configured: number, cores: number): number {
  return configured > 0 ? configured : Math.min(SIZED_MAX, Math.max(1, cores - OTHER_THREADS));
}

export function openVerification(
  { committee, validator }: Pick<Identity, 'committee' | 'validator'>,
  config: Config,
  { random, telemetry, fail }: Pick<NodeWorld, 'random' | 'telemetry' | 'fail'>,
): Verification {
  const service = createWorkerVerifier({
    workers: verifierThreads(config['verifier.workers'], availableParallelism()),
    committees: [epochKeysOf(committee)],
    ...(validator ? { secretKey: validator.secretKey } : {}),
    onFailure: (error) => fail(threadFailure(error.message, error.cause)),
  });
  const checks = config['development.checkSingly'] ? withoutBatches(service.verifier) : service.verifier;
  const cache = createVerificationCache({ ...VERIFICATION_CACHE_DEFAULTS, hashKey: random.bytes(SIP_KEY_BYTES) });
  const revocable = createRevocableSigner(service.signer);
  const stats = () => ({ ...service.stats(), cache: cache.stats() });
  return {
    verifier: config['development.forgetVerified'] ? checks : createCachedVerifier(checks, cache),
    signer: validator && revocable.signer,
    revokeSigning: revocable.revoke,
    stats,
    report() {
      const read = stats();
      const { queuedRequests, queuedBytes, accountSignatures, accountSignaturesRefused, pairingChecks } = read;
      telemetry.gauge('verifier_queued_requests', queuedRequests);
      telemetry.gauge('verifier_queued_bytes', queuedBytes);
      telemetry.gauge('verifier_account_signatures', accountSignatures);
      telemetry.gauge('verifier_account_signatures_refused', accountSignaturesRefused);
      telemetry.gauge('verifier_pairing_checks', pairingChecks);
      telemetry.gauge('verifier_batches', read.batches);
      telemetry.gauge('verifier_batched_statements', read.batchedStatements);
      telemetry.gauge('verification_cache_entries', read.cache.size);
      telemetry.gauge('verification_cache_bytes', read.cache.bytes);
      telemetry.gauge('verification_cache_hits', read.cache.hits);
      telemetry.gauge('verification_cache_misses', read.cache.misses);
      telemetry.gauge('verification_cache_evictions', read.cache.evictions);
    },
    stop: () => service.stop(),
  };
}

function withoutBatches(verifier: Verifier): Verifier {
  return { ...verifier, checkBatch: (batch, priority) => checkOneByOne(verifier, batch, priority) };
}
