/** Proofs of transactions and of rows: one route, which answers by what the id names. */
import type { ProofJson, RowProofJson } from '@slipstream/schema';
import type { CallOptions } from './call-options.ts';
import { ClientError } from './errors.ts';
import type { Requester } from './request.ts';

export interface ProofOptions extends CallOptions {
  /** With the first handovers from this epoch on. */
  readonly epochsFrom?: number;
}

/** Throws ClientError `malformed-answer` for the proof of a row. */
export async function askProof(call: Requester, id: string, options?: ProofOptions): Promise<ProofJson> {
  const answer = await ask(call, id, options);
  if ('receipt' in answer) return answer;
  throw new ClientError('malformed-answer', `${id} is a row of a distilled batch: its proof is a row proof`, { id });
}

/** Throws ClientError `malformed-answer` for the proof of a transaction, or of another row. */
export async function askRowProof(call: Requester, rowId: string, options?: ProofOptions): Promise<RowProofJson> {
  const answer = await ask(call, rowId, options);
  if ('rowId' in answer && answer.rowId === rowId.toLowerCase()) return answer;
  throw new ClientError('malformed-answer', `the answer is no proof of row ${rowId}`, { rowId });
}

function ask(call: Requester, id: string, { epochsFrom, ...options }: ProofOptions = {}) {
  return call('transactionProof', { params: { id }, query: { epochsFrom }, ...options });
}
