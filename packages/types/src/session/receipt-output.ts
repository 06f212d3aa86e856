/** Output of a receipt: entries of {kind u8, length u8, bytes}, in the order of the actions. A grant writes its id, and so is certified. */
import { concatBytes } from '@slipstream/primitives';
import type { GrantId } from '../ids.ts';
import { asId, ID_BYTES } from '../ids.ts';

const GRANT = 1;
const HEAD_BYTES = 2;

export function grantOutput(id: GrantId): Uint8Array {
  return concatBytes(new Uint8Array([GRANT, ID_BYTES]), id);
}

/** Undefined: malformed output. */
export function grantsInOutput(output: Uint8Array): readonly GrantId[] | undefined {
  const grants: GrantId[] = [];
  let at = 0;
  while (at < output.length) {
    const [kind, length] = [output[at], output[at + 1]];
    const end = at + HEAD_BYTES + (length ?? 0);
    if (length === undefined || end > output.length) return undefined;
    if (kind === GRANT) {
      if (length !== ID_BYTES) return undefined;
      grants.push(asId<GrantId>(output.subarray(at + HEAD_BYTES, end)));
    }
    at = end;
  }
  return grants;
}
