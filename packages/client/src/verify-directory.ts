/** Verifies an entry of the account directory offline, with the genesis file or committees followed from it. */
import { fail, fromHex, ok, type Result } from '@slipstream/primitives';
import { checkDirectoryProof, type DirectoryProof, directoryProofCodec } from '@slipstream/types';
import { committeesOf } from './epochs/committees.ts';
import { unknownEpoch } from './verify-certificate.ts';

/**
 * `proof`: 0x and the serialization, from field `ssz` of GET /v1/directory/{index or account}. `chain`: the genesis file's JSON, or
 * committees followed from it. The caller compares index or account: a lying node can give a valid proof of another entry. That an
 * account's entry is its newest is not proven.
 */
export function verifyDirectoryProof(proof: string, chain: unknown): Result<DirectoryProof, string> {
  const committees = committeesOf(chain);
  if (!committees.ok) return committees;
  if (!/^0x([0-9a-f]{2})*$/.test(proof)) return fail('a proof is 0x and lower-case hexadecimal digits');
  const decoded = directoryProofCodec.decode(fromHex(proof));
  if (!decoded.ok) return fail(decoded.error.message);
  const { epoch } = decoded.value.certificate.subject;
  const committee = committees.value.of(epoch);
  if (committee === undefined) return fail(unknownEpoch(epoch));
  const checked = checkDirectoryProof(decoded.value, committees.value.genesisHash, committee);
  if (!checked.ok) return fail(`the proof does not hold: ${checked.error}`);
  if (!committees.value.aggregateHolds(checked.value)) {
    return fail('the aggregate is not a signature of these validators on this state');
  }
  return ok(decoded.value);
}
