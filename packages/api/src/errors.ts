import { CodedError } from '@slipstream/primitives';

type ApiErrorCode = 'port-in-use' | 'listen-failed' | 'json-too-large';

/** At the start, or while parsing a body. */
export class ApiError extends CodedError<ApiErrorCode> {}
