import { CodedError } from '@slipstream/primitives';

export type ApiErrorCode = 'port-in-use' | 'listen-failed';

/** Why the API could not be started. */
export class ApiError extends CodedError<ApiErrorCode> {}
