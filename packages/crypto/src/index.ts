export { CryptoError, type CryptoErrorCode } from './errors.ts';
export { findOffenders, type GroupTests, type Verdict } from './offenders.ts';
