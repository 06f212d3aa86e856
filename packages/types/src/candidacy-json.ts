/** The candidacy file. Parsing reports every fault at once and verifies no signature. */
import { fail, ok, type PeerKey, type Result, to0x } from '@slipstream/primitives';
import { accountKeyText } from './account.ts';
import type { Candidacy } from './candidacy.ts';
import { readAccount } from './epochs/parameters-json.ts';
import { CHAIN_NAME } from './genesis-json.ts';
import { type Json, JsonReader } from './json-reader.ts';
import {
  BLS_AGGREGATE_BYTES,
  BLS_PUBLIC_KEY_BYTES,
  BLS_SIGNATURE_BYTES,
  COMMITTEE_WEIGHT_MAX,
  ED25519_PUBLIC_KEY_BYTES,
  ED25519_SIGNATURE_BYTES,
} from './limits.ts';
import { NODE_NAME, requireNodeAddress } from './node-place.ts';

export function candidacyToJson({ chain, name, peerKey, validator, peerSignature, blsSignature }: Candidacy): Json {
  return {
    chain,
    name,
    role: validator === undefined ? 'full-node' : 'validator',
    peerKey: `0x${peerKey}`,
    ...(validator && {
      address: validator.address,
      weight: validator.weight,
      operator: accountKeyText(validator.operator),
      feeAccount: accountKeyText(validator.feeAccount),
      blsPublicKey: to0x(validator.blsPublicKey),
      proofOfPossession: to0x(validator.proofOfPossession),
    }),
    peerSignature: to0x(peerSignature),
    ...(blsSignature && { blsSignature: to0x(blsSignature) }),
  };
}

/** Faults: "<field>: <expected form>". */
export function candidacyFromJson(json: unknown): Result<Candidacy, readonly string[]> {
  const reader = new JsonReader();
  const root = reader.object(json, 'candidacy');
  const role = reader.matching(root.role, 'role', { match: /^(validator|full-node)$/, is: 'validator or full-node' });
  const candidacy: Candidacy = {
    chain: reader.matching(root.chain, 'chain', CHAIN_NAME),
    name: reader.matching(root.name, 'name', NODE_NAME),
    peerKey: to0x(reader.bytes(root.peerKey, 'peerKey', ED25519_PUBLIC_KEY_BYTES)).slice(2) as PeerKey,
    validator: role === 'validator' ? readValidator(reader, root) : undefined,
    peerSignature: reader.bytes(root.peerSignature, 'peerSignature', ED25519_SIGNATURE_BYTES),
    blsSignature:
      role === 'validator' ? reader.bytes(root.blsSignature, 'blsSignature', BLS_AGGREGATE_BYTES) : undefined,
  };
  return reader.faults.length === 0 ? ok(candidacy) : fail(reader.faults);
}

function readValidator(reader: JsonReader, root: Json): Candidacy['validator'] {
  return {
    address: reader.parse('address', '', () => requireNodeAddress(root.address)),
    weight: reader.integer(root.weight, 'weight', 1, COMMITTEE_WEIGHT_MAX),
    operator: readAccount(reader, root.operator, 'operator'),
    feeAccount: readAccount(reader, root.feeAccount, 'feeAccount'),
    blsPublicKey: reader.bytes(root.blsPublicKey, 'blsPublicKey', BLS_PUBLIC_KEY_BYTES),
    proofOfPossession: reader.bytes(root.proofOfPossession, 'proofOfPossession', BLS_SIGNATURE_BYTES),
  };
}
