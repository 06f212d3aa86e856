import { CodedError } from '@slipstream/primitives';

/**
 * What can go wrong with a load, apart from what nodes answer.
 *
 * - `signing-failed`: a signing thread ended, or was closed with work under way.
 * - `signed-file`: a file of signed transactions that is none, is damaged, or is of another chain or time.
 * - `funding-failed`: the accounts of a load could not be paid.
 * - `nodes-unfit`: no node answers, or they are of different chains.
 * - `audit-failed`: the chain's own record could not be read, so nothing can be said about it.
 */
type LoadErrorCode = 'signing-failed' | 'signed-file' | 'funding-failed' | 'nodes-unfit' | 'audit-failed';

export class LoadError extends CodedError<LoadErrorCode> {}
