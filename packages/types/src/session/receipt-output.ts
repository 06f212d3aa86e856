/** Output of a receipt: entries of {kind u8, length u8, bytes}, in the order of the actions. A grant and a proposal write their ids, a registration its index. */
import { concatBytes, uint32le } from '@slipstream/primitives';
import type { GrantId, ProposalId } from '../ids.ts';
import { asId, ID_BYTES } from '../ids.ts';

const GRANT = 1;
const PROPOSAL = 2;
const REGISTRATION = 3;
const INDEX_BYTES = 4;
const HEAD_BYTES = 2;

export function grantOutput(id: GrantId): Uint8Array {
  return concatBytes(new Uint8Array([GRANT, ID_BYTES]), id);
}

export function proposalOutput(id: ProposalId): Uint8Array {
  return concatBytes(new Uint8Array([PROPOSAL, ID_BYTES]), id);
}

/** Index in the account directory. */
export function registrationOutput(index: number): Uint8Array {
  return concatBytes(new Uint8Array([REGISTRATION, INDEX_BYTES]), uint32le(index));
}

/** Undefined: malformed output. */
export function grantsInOutput(output: Uint8Array): readonly GrantId[] | undefined {
  return entriesInOutput(output, GRANT, ID_BYTES)?.map((id) => asId<GrantId>(id));
}

/** Undefined: malformed output. */
export function proposalsInOutput(output: Uint8Array): readonly ProposalId[] | undefined {
  return entriesInOutput(output, PROPOSAL, ID_BYTES)?.map((id) => asId<ProposalId>(id));
}

/** Indices in the account directory. Undefined: malformed output. */
export function registrationsInOutput(output: Uint8Array): readonly number[] | undefined {
  const found = entriesInOutput(output, REGISTRATION, INDEX_BYTES);
  return found?.map((bytes) => new DataView(bytes.buffer, bytes.byteOffset, INDEX_BYTES).getUint32(0, true));
}

function entriesInOutput(output: Uint8Array, wanted: number, bytes: number): readonly Uint8Array[] | undefined {
  const found: Uint8Array[] = [];
  let at = 0;
  while (at < output.length) {
    const [kind, length] = [output[at], output[at + 1]];
    const end = at + HEAD_BYTES + (length ?? 0);
    if (length === undefined || end > output.length) return undefined;
    if (kind === wanted) {
      if (length !== bytes) return undefined;
      found.push(output.subarray(at + HEAD_BYTES, end));
    }
    at = end;
  }
  return found;
}
