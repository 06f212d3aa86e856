import { CodedError } from '@slipstream/primitives';

/**
 * Failures of a load, apart from nodes' answers.
 *
 * - `signing-failed`: a signing thread ended, or was closed with open jobs.
 * - `signed-file`: not a file of signed transactions, a damaged one, or one for another chain or time.
 * - `funding-failed`: the load's accounts could not be paid.
 * - `nodes-unfit`: no node answers, or the nodes are of different chains.
 * - `audit-failed`: the chain's blocks could not be read, so the audit has no result.
 */
type LoadErrorCode = 'signing-failed' | 'signed-file' | 'funding-failed' | 'nodes-unfit' | 'audit-failed';

export class LoadError extends CodedError<LoadErrorCode> {}
