/** Reads the proof of a row from a node and verifies it. */
import type { Client } from '../client.ts';
import { ClientError } from '../errors.ts';
import { verifyRowProof } from '../verify-row-proof.ts';
import type { ProveRow } from './options.ts';
import type { TrustedChain } from './trusted-chain.ts';

export function createRowProver(client: Pick<Client, 'rowProof'>, chain: TrustedChain): ProveRow {
  return async (rowId, signal) => {
    const proof = await client.rowProof(rowId, { signal });
    const verified = verifyRowProof(proof, await chain(), rowId);
    if (!verified.ok) {
      throw new ClientError('malformed-answer', `the row is not proven: ${verified.error.message}`, { rowId });
    }
    const { outcome, height, leaf } = verified.value;
    return { outcome, height, fees: { row: leaf.rowFee, straggler: leaf.stragglerFee }, proof };
  };
}
