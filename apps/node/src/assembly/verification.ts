/**
 * Verification of a node: the threads that check signatures, and in front of them what was checked before.
 *
 *   consensus, dissemination --> cache, on the caller's thread --miss--> verifier threads
 */
import {
  createCachedVerifier,
  createVerificationCache,
  VERIFICATION_CACHE_DEFAULTS,
  type VerificationCacheStats,
} from '@slipstream/crypto';
import { createWorkerVerifier, type VerifierStats } from '@slipstream/crypto/native';
import type { Signer, Verifier } from '@slipstream/ports';
import type { Config } from '../config/keys.ts';
import type { Identity } from './identity.ts';
import type { NodeWorld } from './node.ts';

export interface Verification {
  readonly verifier: Verifier;
  /** Undefined on a full node. */
  readonly signer: Signer | undefined;
  stats(): VerifierStats & { readonly cache: VerificationCacheStats };
  /** Sets the gauges. */
  report(): void;
  stop(): Promise<void>;
}

const HASH_KEY_BYTES = 8;

export function openVerification(
  { committee, validator }: Pick<Identity, 'committee' | 'validator'>,
  config: Config,
  { random, telemetry, fail }: Pick<NodeWorld, 'random' | 'telemetry' | 'fail'>,
): Verification {
  const service = createWorkerVerifier({
    workers: config['verifier.workers'],
    committeeKeys: committee.members.map(({ blsPublicKey }) => blsPublicKey),
    ...(validator ? { secretKey: validator.secretKey } : {}),
    onFailure: fail,
  });
  const cache = createVerificationCache({ ...VERIFICATION_CACHE_DEFAULTS, hashKey: random.bytes(HASH_KEY_BYTES) });
  const stats = () => ({ ...service.stats(), cache: cache.stats() });
  return {
    verifier: createCachedVerifier(service.verifier, cache),
    signer: validator && service.signer,
    stats,
    report() {
      const { queuedRequests, queuedBytes, accountSignatures, accountSignaturesRefused, pairingChecks, ...read } =
        stats();
      telemetry.gauge('verifier_queued_requests', queuedRequests);
      telemetry.gauge('verifier_queued_bytes', queuedBytes);
      telemetry.gauge('verifier_account_signatures', accountSignatures);
      telemetry.gauge('verifier_account_signatures_refused', accountSignaturesRefused);
      telemetry.gauge('verifier_pairing_checks', pairingChecks);
      telemetry.gauge('verification_cache_entries', read.cache.size);
      telemetry.gauge('verification_cache_bytes', read.cache.bytes);
      telemetry.gauge('verification_cache_hits', read.cache.hits);
      telemetry.gauge('verification_cache_misses', read.cache.misses);
      telemetry.gauge('verification_cache_evictions', read.cache.evictions);
    },
    stop: () => service.stop(),
  };
}
