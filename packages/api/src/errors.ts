import { CodedError } from '@slipstream/primitives';

type ApiErrorCode = 'port-in-use' | 'listen-failed' | 'json-too-large';

/** Why the API could not be started, or does not read a body. */
export class ApiError extends CodedError<ApiErrorCode> {}
