import { CodedError } from '@slipstream/primitives';

type ApiErrorCode = 'port-in-use' | 'listen-failed' | 'json-too-large';

/** The API could not start, or refused to parse a body. */
export class ApiError extends CodedError<ApiErrorCode> {}
