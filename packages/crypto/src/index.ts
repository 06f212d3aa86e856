export { CryptoError, type CryptoErrorCode } from './errors.ts';
export { findOffenders, type GroupTests, type Verdict } from './offenders.ts';
export {
  type AddOutcome,
  type BufferedVote,
  type CompleteOutcome,
  createQuorumBuffer,
  type FormedCertificate,
  type QuorumBuffer,
  type QuorumBufferOptions,
  type ReadyQuorum,
} from './quorum-buffer.ts';
