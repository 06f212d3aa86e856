/** The candidacy file. Parsing reports every fault at once and verifies no signature. */
import { fail, ok, type PeerKey, type Result, to0x } from '@slipstream/primitives';
import type { Candidacy } from './candidacy.ts';
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

/** Lower case only, so that no two names differ by case. */
export const NODE_NAME = {
  match: /^[a-z0-9][a-z0-9._-]{0,39}$/,
  is: '1 to 40 of a-z, 0-9, ".", "_" and "-", a letter or digit first',
} as const;

const PORT_MAX = 65_535;
const HOST_PORT = /^(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?):([1-9][0-9]{0,4})$/;

/** Throws RangeError with the expected form. */
export function requireNodeAddress(text: unknown): string {
  const port = typeof text === 'string' ? HOST_PORT.exec(text)?.[1] : undefined;
  if (typeof text === 'string' && port !== undefined && Number(port) <= PORT_MAX) return text;
  throw new RangeError(`must be host:port in lower case, with a port from 1 to ${PORT_MAX}`);
}

export function candidacyToJson({ chain, name, peerKey, validator, peerSignature, blsSignature }: Candidacy): Json {
  return {
    chain,
    name,
    role: validator === undefined ? 'full-node' : 'validator',
    peerKey: `0x${peerKey}`,
    ...(validator && {
      address: validator.address,
      weight: validator.weight,
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
    blsPublicKey: reader.bytes(root.blsPublicKey, 'blsPublicKey', BLS_PUBLIC_KEY_BYTES),
    proofOfPossession: reader.bytes(root.proofOfPossession, 'proofOfPossession', BLS_SIGNATURE_BYTES),
  };
}
