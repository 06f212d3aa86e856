import { CodedError } from '@slipstream/primitives';

/**
 * - `options-invalid`: see data.faults.
 * - `epoch-unknown`: the log is of a later epoch than the ledger, and lacks how it began.
 * - `record-unreadable`: a log record of another version.
 * - `stale-copy`: a peer holds a message of this validator that its log lacks.
 * - `signing-stopped`: the log or the signer failed.
 */
type ConsensusErrorCode = 'options-invalid' | 'epoch-unknown' | 'record-unreadable' | 'stale-copy' | 'signing-stopped';

export class ConsensusError extends CodedError<ConsensusErrorCode> {}
