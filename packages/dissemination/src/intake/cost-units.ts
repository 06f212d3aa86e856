/** Cost units: what reading a transaction costs. A transfer is one: 6 us. */
import type { Credential, DecodedTransaction } from '@slipstream/types';

/** A credential takes 120 to 470 us, another action than a transfer 4 to 10, an output 0.7. */
const CREDENTIAL_COST = 20;
const BYTES_PER_COST_UNIT = 512;
const OUTPUTS_PER_COST_UNIT = 8;

export function costUnitsOf(
  { bytes, transaction }: DecodedTransaction,
  { isTrue }: { readonly isTrue: (credential: Credential) => boolean },
): number {
  if (transaction === undefined) return 1;
  const { body, auth } = transaction;
  let units = 0;
  for (const action of body.actions) {
    if (action.kind === 'transferMany') units += 1 + action.outputs.length / OUTPUTS_PER_COST_UNIT;
    else if (action.kind !== 'transfer') units += 1;
  }
  // A credential known to be true is not parsed.
  const isParsed = auth.scheme === 'session' && !isTrue(auth.credential);
  return isParsed ? units + CREDENTIAL_COST + bytes.length / BYTES_PER_COST_UNIT : Math.max(1, units);
}
