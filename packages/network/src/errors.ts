import { CodedError } from '@slipstream/primitives';

type NetworkErrorCode = 'options-invalid' | 'address-malformed' | 'listen-failed' | 'not-ed25519';

/** Mistakes of the caller. Faults of peers are never thrown. */
export class NetworkError extends CodedError<NetworkErrorCode> {}
