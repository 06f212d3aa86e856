import { CodedError } from '@slipstream/primitives';

export type NetworkErrorCode = 'options-invalid' | 'address-malformed' | 'listen-failed' | 'not-ed25519';

/** What this package throws: mistakes of its caller. What peers get wrong is a refusal or an offence, never thrown. */
export class NetworkError extends CodedError<NetworkErrorCode> {}
