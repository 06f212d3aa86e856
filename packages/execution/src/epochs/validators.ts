/**
 * Validators: what the state knows of each, ever.
 *
 *   candidate --ready, approved: sealed--> member --left, removed or reported: sealed--> removed
 *
 * A record copies what its epoch needs. Address and fee account change at once here, and in the record at the next seal.
 */
import {
  BooleanType,
  ByteListType,
  ByteVectorType,
  ContainerType,
  createCodec,
  fromHex,
  fromUtf8,
  ListCompositeType,
  type PeerKey,
  toHex,
  utf8,
} from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyToWire,
  accountKeyType,
  BLS_PUBLIC_KEY_BYTES,
  bytes32,
  ED25519_PUBLIC_KEY_BYTES,
  NODE_ADDRESS_BYTES_MAX,
  NODE_NAME_BYTES_MAX,
  REPORTED_ARTIFACTS_MAX,
  RULES_VERSION,
  uint8,
  uint16,
  uint32,
  type ValidatorId,
} from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import { validatorKey } from './keys.ts';
import { FRESH_REPUTATION, type Reputation, reputationType } from './reputation.ts';
import { decodeValue } from './value.ts';

export interface ValidatorKeys {
  /** 48 bytes. */
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
}

export interface Validator extends ValidatorKeys {
  readonly name: string;
  readonly operator: AccountKey;
  readonly feeAccount: AccountKey;
  readonly address: string;
  readonly status: 'candidate' | 'member' | 'removed';
  /** In the newest record; 0: not there. */
  readonly weight: number;
  /** Keys that its node is to take over. */
  readonly rotation: ValidatorKeys | undefined;
  /** Also when the rotation was replaced or taken back, so that none is in the queue twice. */
  readonly rotationQueued: boolean;
  /** The node with the new keys (a candidate's, a rotation's) is synced and connected. */
  readonly ready: boolean;
  /** Newest version of the rules that its node reported in `versionEpoch`. */
  readonly version: number;
  readonly versionEpoch: number;
  /** Hashes of artifacts that its node reported in that epoch, newest first. */
  readonly artifacts: readonly Uint8Array[];
  readonly leaving: boolean;
  /** It signed a contradiction. */
  readonly reported: boolean;
  /** As a leader. */
  readonly reputation: Reputation;
}

/** Of a validator that the state did not know before. */
export const ENTERED = {
  rotation: undefined,
  rotationQueued: false,
  ready: false,
  version: RULES_VERSION,
  versionEpoch: 0,
  artifacts: [],
  leaving: false,
  reported: false,
  reputation: FRESH_REPUTATION,
} as const satisfies Partial<Validator>;

const STATUSES = ['candidate', 'member', 'removed'] as const satisfies readonly Validator['status'][];

const keysFields = {
  blsPublicKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES),
  peerKey: new ByteVectorType(ED25519_PUBLIC_KEY_BYTES),
};

const validatorType = new ContainerType({
  name: new ByteListType(NODE_NAME_BYTES_MAX),
  operator: accountKeyType,
  feeAccount: accountKeyType,
  address: new ByteListType(NODE_ADDRESS_BYTES_MAX),
  ...keysFields,
  status: uint8,
  weight: uint16,
  rotation: new ListCompositeType(new ContainerType(keysFields), 1),
  rotationQueued: new BooleanType(),
  ready: new BooleanType(),
  version: uint16,
  versionEpoch: uint32,
  artifacts: new ListCompositeType(bytes32, REPORTED_ARTIFACTS_MAX),
  leaving: new BooleanType(),
  reported: new BooleanType(),
  reputation: reputationType,
});

interface KeysWire {
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: Uint8Array;
}

interface ValidatorWire
  extends Omit<Validator, 'name' | 'operator' | 'feeAccount' | 'address' | 'peerKey' | 'status' | 'rotation'> {
  readonly name: Uint8Array;
  readonly operator: AccountKeyWire;
  readonly feeAccount: AccountKeyWire;
  readonly address: Uint8Array;
  readonly peerKey: Uint8Array;
  readonly status: number;
  readonly rotation: readonly KeysWire[];
}

const validatorCodec = createCodec<Validator, ValidatorWire>('validator', validatorType, validatorType.maxSize, {
  toWire: (validator) => ({
    ...validator,
    name: utf8(validator.name),
    operator: accountKeyToWire(validator.operator),
    feeAccount: accountKeyToWire(validator.feeAccount),
    address: utf8(validator.address),
    peerKey: fromHex(validator.peerKey),
    status: STATUSES.indexOf(validator.status),
    rotation: validator.rotation === undefined ? [] : [keysToWire(validator.rotation)],
  }),
  fromWire: ({ rotation: [rotation], ...wire }) => {
    const status = STATUSES[wire.status];
    if (status === undefined) throw new RangeError(`unknown status ${wire.status}`);
    return {
      ...wire,
      name: fromUtf8(wire.name),
      operator: accountKeyFromWire(wire.operator),
      feeAccount: accountKeyFromWire(wire.feeAccount),
      address: fromUtf8(wire.address),
      peerKey: toHex(wire.peerKey) as PeerKey,
      status,
      rotation: rotation && { ...rotation, peerKey: toHex(rotation.peerKey) as PeerKey },
    };
  },
});

function keysToWire({ blsPublicKey, peerKey }: ValidatorKeys): KeysWire {
  return { blsPublicKey, peerKey: fromHex(peerKey) };
}

export const encodeValidator = (validator: Validator): Uint8Array => validatorCodec.encode(validator);

/** Throws ExecutionError `state-corrupt`. */
export function readValidator(entries: Pick<Entries, 'get'>, id: ValidatorId): Validator | undefined {
  const value = entries.get(validatorKey(id));
  return value && decodeValue(validatorCodec, value);
}

export function writeValidator(entries: Entries, id: ValidatorId, validator: Validator | undefined): void {
  entries.set(validatorKey(id), validator && encodeValidator(validator));
}
