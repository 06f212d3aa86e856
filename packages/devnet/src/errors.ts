import { CodedError } from '@slipstream/primitives';

/**
 * - `port-in-use`: another program listens there.
 * - `node-failed`: a node ended while it started, or is not ready in time.
 * - `home-incomplete`: a file of the chain's folder is missing or damaged.
 */
type DevnetErrorCode = 'port-in-use' | 'node-failed' | 'home-incomplete';

export class DevnetError extends CodedError<DevnetErrorCode> {}
