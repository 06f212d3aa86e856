/** rotateKeys: the operator gives a validator's next keys, and its address and fee account. Unchanged keys stay in use. */
import {
  ByteListType,
  ByteVectorType,
  ContainerType,
  createCodec,
  fromHex,
  fromUtf8,
  type PeerKey,
  to0x,
  toHex,
  utf8,
} from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyText,
  accountKeyToWire,
  accountKeyType,
} from '../../src/account.ts';
import { requireAccount } from '../../src/actions/json.ts';
import {
  blsKeyFromJson,
  keySignatureFromJson,
  peerKeyFromJson,
  validatorIdFromJson,
} from '../../src/epochs/changes-json.ts';
import type { ValidatorId } from '../../src/epochs/validator-id.ts';
import {
  ACTION_BODY_BYTES_MAX,
  BLS_AGGREGATE_BYTES,
  BLS_PUBLIC_KEY_BYTES,
  ED25519_PUBLIC_KEY_BYTES,
  NODE_ADDRESS_BYTES_MAX,
} from '../../src/limits.ts';
import { requireNodeAddress } from '../../src/node-place.ts';
import { bytes32 } from '../../src/subject-wire.ts';

export interface RotateKeys {
  readonly kind: 'rotateKeys';
  readonly validatorId: ValidatorId;
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
  readonly address: string;
  readonly feeAccount: AccountKey;
  /** 96 bytes over consentMessage, by the BLS key. */
  readonly consent: Uint8Array;
}

interface RotateKeysWire extends Omit<RotateKeys, 'kind' | 'validatorId' | 'peerKey' | 'address' | 'feeAccount'> {
  readonly validatorId: Uint8Array;
  readonly peerKey: Uint8Array;
  readonly address: Uint8Array;
  readonly feeAccount: AccountKeyWire;
}

const type = new ContainerType({
  validatorId: bytes32,
  blsPublicKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES),
  peerKey: new ByteVectorType(ED25519_PUBLIC_KEY_BYTES),
  address: new ByteListType(NODE_ADDRESS_BYTES_MAX),
  feeAccount: accountKeyType,
  consent: new ByteVectorType(BLS_AGGREGATE_BYTES),
});

export const rotateKeysCodec = createCodec<RotateKeys, RotateKeysWire>('rotateKeys', type, ACTION_BODY_BYTES_MAX, {
  toWire: ({ validatorId, blsPublicKey, peerKey, address, feeAccount, consent }) => ({
    validatorId,
    blsPublicKey,
    consent,
    peerKey: fromHex(peerKey),
    address: utf8(address),
    feeAccount: accountKeyToWire(feeAccount),
  }),
  fromWire: (wire) => ({
    ...wire,
    kind: 'rotateKeys',
    validatorId: wire.validatorId as ValidatorId,
    peerKey: toHex(wire.peerKey) as PeerKey,
    address: requireNodeAddress(fromUtf8(wire.address)),
    feeAccount: accountKeyFromWire(wire.feeAccount),
  }),
});

export interface RotateKeysJson {
  readonly kind: 'rotateKeys';
  readonly validatorId: string;
  readonly blsPublicKey: string;
  readonly peerKey: string;
  readonly address: string;
  readonly feeAccount: string;
  readonly consent: string;
}

export function rotateKeysToJson(action: RotateKeys): RotateKeysJson {
  return {
    kind: 'rotateKeys',
    validatorId: to0x(action.validatorId),
    blsPublicKey: to0x(action.blsPublicKey),
    peerKey: `0x${action.peerKey}`,
    address: action.address,
    feeAccount: accountKeyText(action.feeAccount),
    consent: to0x(action.consent),
  };
}

/** Throws RangeError with the reason. */
export function rotateKeysFromJson(json: RotateKeysJson): RotateKeys {
  return {
    kind: 'rotateKeys',
    validatorId: validatorIdFromJson(json.validatorId),
    blsPublicKey: blsKeyFromJson(json.blsPublicKey),
    peerKey: peerKeyFromJson(json.peerKey),
    address: requireNodeAddress(json.address),
    feeAccount: requireAccount(json.feeAccount),
    consent: keySignatureFromJson(json.consent),
  };
}
