/** JSON forms of changes. */
import { type PeerKey, to0x, unreachable } from '@slipstream/primitives';
import { accountKeyText } from '../account.ts';
import { parseBytes, requireAccount } from '../actions/json.ts';
import { ID_BYTES } from '../ids.ts';
import { JsonReader } from '../json-reader.ts';
import { BLS_AGGREGATE_BYTES, BLS_PUBLIC_KEY_BYTES, ED25519_PUBLIC_KEY_BYTES } from '../limits.ts';
import { type Change, checkedAddition, checkedGovernance, checkedUpgrade, type SetParameters } from './changes.ts';
import type { TimeParameters } from './parameters.ts';
import {
  type FeesJson,
  feesToJson,
  type GovernanceJson,
  governanceToJson,
  issuersToJson,
  readFees,
  readGovernance,
  readIssuers,
  readReputation,
  readTimes,
} from './parameters-json.ts';
import type { ValidatorId } from './validator-id.ts';

export type ChangeJson =
  | {
      readonly kind: 'addValidator';
      readonly name: string;
      readonly weight: number;
      readonly blsPublicKey: string;
      readonly peerKey: string;
      readonly address: string;
      readonly operator: string;
      readonly feeAccount: string;
      readonly consent: string;
    }
  | { readonly kind: 'removeValidator'; readonly validatorId: string }
  | { readonly kind: 'setWeight'; readonly validatorId: string; readonly weight: number }
  | {
      readonly kind: 'setParameters';
      readonly fees: FeesJson;
      readonly times: TimeParameters;
      readonly leaderReputation?: boolean;
    }
  | { readonly kind: 'setTrustedIssuers'; readonly trustedIssuers: readonly string[] }
  | { readonly kind: 'setVersion'; readonly version: number }
  | { readonly kind: 'setGovernance'; readonly governance: GovernanceJson }
  | { readonly kind: 'upgradeApplication'; readonly name: string; readonly version: number; readonly hash: string };

export function changeToJson(change: Change): ChangeJson {
  switch (change.kind) {
    case 'addValidator':
      return {
        kind: change.kind,
        name: change.name,
        weight: change.weight,
        address: change.address,
        blsPublicKey: to0x(change.blsPublicKey),
        peerKey: `0x${change.peerKey}`,
        operator: accountKeyText(change.operator),
        feeAccount: accountKeyText(change.feeAccount),
        consent: to0x(change.consent),
      };
    case 'removeValidator':
      return { kind: change.kind, validatorId: to0x(change.validatorId) };
    case 'setWeight':
      return { kind: change.kind, validatorId: to0x(change.validatorId), weight: change.weight };
    case 'setParameters':
      return parametersToJson(change);
    case 'setTrustedIssuers':
      return { kind: change.kind, trustedIssuers: issuersToJson(change.trustedIssuers) };
    case 'setVersion':
      return { kind: change.kind, version: change.version };
    case 'setGovernance':
      return { kind: change.kind, governance: governanceToJson(change.governance) };
    case 'upgradeApplication':
      return { kind: change.kind, name: change.name, version: change.version, hash: to0x(change.hash) };
    default:
      return unreachable(change, 'change');
  }
}

/** Throws RangeError with the reason. */
export function changeFromJson(json: ChangeJson): Change {
  switch (json.kind) {
    case 'addValidator':
      return checkedAddition({
        kind: json.kind,
        name: json.name,
        weight: json.weight,
        address: json.address,
        blsPublicKey: sized(json.blsPublicKey, BLS_PUBLIC_KEY_BYTES),
        peerKey: peerKeyFromJson(json.peerKey),
        operator: requireAccount(json.operator),
        feeAccount: requireAccount(json.feeAccount),
        consent: sized(json.consent, BLS_AGGREGATE_BYTES),
      });
    case 'removeValidator':
      return { kind: json.kind, validatorId: validatorIdFromJson(json.validatorId) };
    case 'setWeight':
      return { kind: json.kind, validatorId: validatorIdFromJson(json.validatorId), weight: json.weight };
    case 'setParameters':
      return read((reader) => parametersFrom(reader, json));
    case 'setTrustedIssuers':
      return read((reader) => ({ kind: json.kind, trustedIssuers: readIssuers(reader, json) }));
    case 'setVersion':
      return { kind: json.kind, version: json.version };
    case 'setGovernance':
      return checkedGovernance(read((reader) => ({ kind: json.kind, governance: readGovernance(reader, json) })));
    case 'upgradeApplication':
      return checkedUpgrade({
        kind: json.kind,
        name: json.name,
        version: json.version,
        hash: artifactHashFromJson(json.hash),
      });
    default:
      throw new RangeError(`unknown change "${String((json as { kind: unknown }).kind).slice(0, 32)}"`);
  }
}

function parametersToJson({ kind, fees, times, leaderReputation }: SetParameters): ChangeJson {
  const reputation = leaderReputation === undefined ? {} : { leaderReputation };
  return { kind, fees: feesToJson(fees), times: { ...times }, ...reputation };
}

function parametersFrom(reader: JsonReader, json: Extract<ChangeJson, { kind: 'setParameters' }>): SetParameters {
  const { kind } = json;
  const leaderReputation = readReputation(reader, json);
  const reputation = leaderReputation === undefined ? {} : { leaderReputation };
  return { kind, fees: readFees(reader, json), times: readTimes(reader, json), ...reputation };
}

/** Throws RangeError with all faults. */
function read<T>(parse: (reader: JsonReader) => T): T {
  const reader = new JsonReader();
  const value = parse(reader);
  if (reader.faults.length > 0) throw new RangeError(reader.faults.join('; '));
  return value;
}

function sized(text: string, length: number): Uint8Array {
  const bytes = parseBytes(text);
  if (bytes.length !== length) throw new RangeError(`must have ${length} bytes, has ${bytes.length}`);
  return bytes;
}

const artifactHashFromJson = (text: string): Uint8Array => sized(text, ID_BYTES);
const validatorIdFromJson = (text: string): ValidatorId => sized(text, ID_BYTES) as ValidatorId;

function peerKeyFromJson(text: string): PeerKey {
  return to0x(sized(text, ED25519_PUBLIC_KEY_BYTES)).slice(2) as PeerKey;
}
