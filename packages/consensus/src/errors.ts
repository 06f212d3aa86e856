import { CodedError } from '@slipstream/primitives';

/**
 * - `options-invalid`: the times violate the protocol's rules; data.faults lists them.
 * - `record-unreadable`: a log record of another version.
 * - `stale-copy`: a peer holds a message of this validator that its log lacks.
 * - `signing-stopped`: the log or the signer failed; signing stops.
 */
type ConsensusErrorCode = 'options-invalid' | 'record-unreadable' | 'stale-copy' | 'signing-stopped';

export class ConsensusError extends CodedError<ConsensusErrorCode> {}
