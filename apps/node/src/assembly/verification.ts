/**
 * Threads that check signatures, behind a cache of results.
 *
 *   consensus, dissemination --> cache, on the caller's thread --miss--> verifier threads
 */
import { availableParallelism } from 'node:os';
import {
  createCachedVerifier,
  createKnownAggregates,
  createVerificationCache,
  SIP_KEY_BYTES,
  VERIFICATION_CACHE_DEFAULTS,
  type VerificationCacheStats,
} from '@slipstream/crypto';
import { createWorkerVerifier, type VerifierStats } from '@slipstream/crypto/native';
import type { Config } from '@slipstream/node-home';
import type { BlsKey, Identity } from '@slipstream/node-home/identity';
import { checkOneByOne, type DistilledVerifier, type Signer, type SigningKeys, type Verifier } from '@slipstream/ports';
import { bytesEqual, toHex } from '@slipstream/primitives';
import { type Epoch, epochKeysOf } from '@slipstream/types';
import type { KnownRules } from '../epochs/known-rules.ts';
import type { NodeEpochs } from '../epochs/node-epochs.ts';
import { followCommittees, knownCommittees } from '../epochs/verified-committees.ts';
import { threadFailure } from '../threads/thread.ts';
import type { NodeWorld } from './node-world.ts';
import { profiledVerifier } from './profiled.ts';
import { createRevocableSigner, type RevocableSigner } from './revocable-signer.ts';

export interface Verification {
  readonly verifier: Verifier;
  readonly distilled: DistilledVerifier;
  /** Its sums are known to `distilled`. */
  readonly sumShares: ReturnType<typeof createKnownAggregates>['sumShares'];
  /** Of this node's member in the record of an epoch; undefined: it follows, also because this program does not know the epoch's rules. */
  signerIn(epoch: Epoch): Signer | undefined;
  /** Undefined: this node does not hold that key. */
  signerOf(publicKey: Uint8Array | undefined): Signer | undefined;
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
  keys: Pick<Identity, 'blsKeys'>,
  config: Config,
  { random, telemetry, turns, fail }: Pick<NodeWorld, 'random' | 'telemetry' | 'turns' | 'fail'>,
  epochs: NodeEpochs,
  rules: Pick<KnownRules, 'isKnown'>,
): Verification {
  const service = createWorkerVerifier({
    workers: verifierThreads(config['verifier.workers'], availableParallelism()),
    committees: knownCommittees(epochs).map(epochKeysOf),
    onFailure: (error) => fail(threadFailure(error.message, error.cause)),
  });
  const sent = turns === undefined ? service.verifier : profiledVerifier(service.verifier, turns);
  const checks = config['development.checkSingly'] ? withoutBatches(sent) : sent;
  const cache = createVerificationCache({ ...VERIFICATION_CACHE_DEFAULTS, hashKey: random.bytes(SIP_KEY_BYTES) });
  const known = createKnownAggregates(service, cache);
  const signers = createSigners(service, keys);
  followCommittees(epochs, service);
  const stats = () => ({ ...service.stats(), cache: cache.stats() });
  return {
    verifier: config['development.forgetVerified'] ? checks : createCachedVerifier(checks, cache),
    distilled: config['development.forgetVerified'] ? service.distilled : known.distilled,
    sumShares: known.sumShares,
    signerIn(epoch) {
      const self = rules.isKnown(epoch) ? epochs.self(epoch) : undefined;
      return self === undefined ? undefined : signers.of(epochs.committeeOf(epoch)?.members[self]?.blsPublicKey);
    },
    signerOf: signers.of,
    revokeSigning: signers.revoke,
    stats,
    report() {
      const read = stats();
      const { queuedRequests, queuedBytes, accountSignatures, accountSignaturesRefused, pairingChecks } = read;
      telemetry.gauge('verifier_queued_requests', queuedRequests);
      telemetry.gauge('verifier_queued_bytes', queuedBytes);
      telemetry.gauge('verifier_account_signatures', accountSignatures);
      telemetry.gauge('verifier_account_signatures_refused', accountSignaturesRefused);
      telemetry.gauge('verifier_pairing_checks', pairingChecks);
      telemetry.gauge('verifier_known_aggregates', known.hits);
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

/** Keys may come later: those of a rotation. */
function createSigners(service: SigningKeys, keys: Pick<Identity, 'blsKeys'>) {
  const signers = new Map<string, RevocableSigner>();
  let isRevoked = false;

  function add({ publicKey, secret }: BlsKey): RevocableSigner {
    // The verifier erases what it takes over.
    const added = service.addKey(secret.slice());
    added.catch(() => {}); // a signature that needs it rejects
    const made = createRevocableSigner({ publicKey, sign: async (messages) => (await added).sign(messages) });
    if (isRevoked) made.revoke();
    signers.set(toHex(publicKey), made);
    return made;
  }

  for (const key of keys.blsKeys) add(key);
  return {
    of(publicKey: Uint8Array | undefined): Signer | undefined {
      if (publicKey === undefined) return undefined;
      const key = keys.blsKeys.find((each) => bytesEqual(each.publicKey, publicKey));
      return (signers.get(toHex(publicKey)) ?? (key && add(key)))?.signer;
    },
    revoke(): void {
      isRevoked = true;
      for (const { revoke } of signers.values()) revoke();
    },
  };
}

function withoutBatches(verifier: Verifier): Verifier {
  return { ...verifier, checkBatch: (batch, priority) => checkOneByOne(verifier, batch, priority) };
}
