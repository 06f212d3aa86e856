/** Reads the proof of a row and verifies it. */
import type { Client } from '../client.ts';
import { ClientError } from '../errors.ts';
import type { ProveRow } from './options.ts';

export function createRowProver(_client: Client, _chain: unknown): ProveRow {
  return () => Promise.reject(new ClientError('bad-argument', 'pass prove'));
}
