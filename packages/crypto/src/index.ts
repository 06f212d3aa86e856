export {
  type AuthorityCheckStats,
  type AuthorityChecks,
  createAuthorityChecks,
} from './authority-checks.ts';
export { type Budget, type BudgetLimits, type Budgets, createBudgets } from './budgets.ts';
export { createCachedVerifier } from './cached-verifier.ts';
export { CryptoError } from './errors.ts';
export { HASH_KEY_BYTES, halfSipHash } from './half-sip-hash.ts';
export { createIssuerMeter, type IssuerMeter } from './issuer-meter.ts';
export { createKnownAggregates, type IndexedKeys } from './known-aggregates.ts';
export { findOffenders, type GroupTests, type Verdict } from './offenders.ts';
export {
  type BufferedVote,
  createQuorumBuffer,
  type QuorumBuffer,
  type QuorumBufferState,
} from './quorum-buffer.ts';
export { SIP_KEY_BYTES } from './sip-hash.ts';
export {
  createVerificationCache,
  VERIFICATION_CACHE_DEFAULTS,
  type VerificationCache,
  type VerificationCacheStats,
  type VerifiedSignature,
} from './verification-cache.ts';
export { createWordTable, NONE, type WordTable } from './word-table.ts';
