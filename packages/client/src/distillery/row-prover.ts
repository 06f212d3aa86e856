/** Reads the proof of a row from a node and verifies it. */
import type { Client } from '../client.ts';
import { ClientError } from '../errors.ts';
import type { ProveRow } from './options.ts';
import type { TrustedChain } from './trusted-chain.ts';

export function createRowProver(_client: Pick<Client, 'directory'>, _chain: TrustedChain): ProveRow {
  return () => Promise.reject(new ClientError('bad-argument', 'nodes prove no rows yet: pass prove'));
}
