/** Output of a receipt: entries of {kind u8, length u8, bytes}, in the order of the actions. A grant and a proposal write their ids. */
import { concatBytes } from '@slipstream/primitives';
import type { GrantId, ProposalId } from '../ids.ts';
import { asId, ID_BYTES } from '../ids.ts';

const GRANT = 1;
const PROPOSAL = 2;
const HEAD_BYTES = 2;

export function grantOutput(id: GrantId): Uint8Array {
  return concatBytes(new Uint8Array([GRANT, ID_BYTES]), id);
}

export function proposalOutput(id: ProposalId): Uint8Array {
  return concatBytes(new Uint8Array([PROPOSAL, ID_BYTES]), id);
}

/** Undefined: malformed output. */
export function grantsInOutput(output: Uint8Array): readonly GrantId[] | undefined {
  return idsInOutput(output, GRANT)?.map((id) => asId<GrantId>(id));
}

/** Undefined: malformed output. */
export function proposalsInOutput(output: Uint8Array): readonly ProposalId[] | undefined {
  return idsInOutput(output, PROPOSAL)?.map((id) => asId<ProposalId>(id));
}

function idsInOutput(output: Uint8Array, wanted: number): readonly Uint8Array[] | undefined {
  const ids: Uint8Array[] = [];
  let at = 0;
  while (at < output.length) {
    const [kind, length] = [output[at], output[at + 1]];
    const end = at + HEAD_BYTES + (length ?? 0);
    if (length === undefined || end > output.length) return undefined;
    if (kind === wanted) {
      if (length !== ID_BYTES) return undefined;
      ids.push(output.subarray(at + HEAD_BYTES, end));
    }
    at = end;
  }
  return ids;
}
