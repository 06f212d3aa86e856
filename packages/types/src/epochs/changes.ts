/** Changes of the committee and the parameters: what a proposal consists of. The wire form is a tag and a body, as of actions. */
import {
  ByteListType,
  ByteVectorType,
  type Codec,
  ContainerType,
  createCodec,
  fromHex,
  fromUtf8,
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
} from '../account.ts';
import { isNameOfApplication } from '../actions/call.ts';
import {
  APPLICATION_NAME_BYTES_MAX,
  BLS_AGGREGATE_BYTES,
  BLS_PUBLIC_KEY_BYTES,
  ED25519_PUBLIC_KEY_BYTES,
  NODE_ADDRESS_BYTES_MAX,
  NODE_NAME_BYTES_MAX,
} from '../limits.ts';
import { NODE_NAME, requireNodeAddress } from '../node-place.ts';
import { bytes32, uint8, uint16, uint32 } from '../subject-wire.ts';
import {
  type Governance,
  type GovernanceWire,
  governanceFaults,
  governanceFromWire,
  governanceToWire,
  governanceType,
} from './governance.ts';
import {
  type FeeParameters,
  feeParametersType,
  type TimeParameters,
  timeParametersType,
  trustedIssuersType,
} from './parameters.ts';
import type { ValidatorId } from './validator-id.ts';

export interface AddValidator {
  readonly kind: 'addValidator';
  readonly name: string;
  readonly weight: number;
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
  readonly address: string;
  readonly operator: AccountKey;
  readonly feeAccount: AccountKey;
  /** 96 bytes over consentMessage, by the new key. */
  readonly consent: Uint8Array;
}

interface RemoveValidator {
  readonly kind: 'removeValidator';
  readonly validatorId: ValidatorId;
}

interface SetWeight {
  readonly kind: 'setWeight';
  readonly validatorId: ValidatorId;
  readonly weight: number;
}

export interface SetParameters {
  readonly kind: 'setParameters';
  readonly fees: FeeParameters;
  readonly times: TimeParameters;
  /** Missing: as it is. */
  readonly leaderReputation?: boolean;
}

interface SetTrustedIssuers {
  readonly kind: 'setTrustedIssuers';
  readonly trustedIssuers: readonly Uint8Array[];
}

interface SetVersion {
  readonly kind: 'setVersion';
  /** Of the rules. */
  readonly version: number;
}

interface SetGovernance {
  readonly kind: 'setGovernance';
  readonly governance: Governance;
}

export interface UpgradeApplication {
  readonly kind: 'upgradeApplication';
  readonly name: string;
  /** The next one of the application. */
  readonly version: number;
  /** SHA-256 of the artifact. */
  readonly hash: Uint8Array;
}

export type Change =
  | AddValidator
  | RemoveValidator
  | SetWeight
  | SetParameters
  | SetTrustedIssuers
  | SetVersion
  | SetGovernance
  | UpgradeApplication;
type ChangeKind = Change['kind'];

/** The largest names 64 administrators. */
const CHANGE_BODY_BYTES_MAX = 3 * 1024;

const blsKeyType = new ByteVectorType(BLS_PUBLIC_KEY_BYTES);

interface AddValidatorWire
  extends Omit<AddValidator, 'kind' | 'name' | 'peerKey' | 'address' | 'operator' | 'feeAccount'> {
  readonly name: Uint8Array;
  readonly peerKey: Uint8Array;
  readonly address: Uint8Array;
  readonly operator: AccountKeyWire;
  readonly feeAccount: AccountKeyWire;
}

const addValidatorType = new ContainerType({
  name: new ByteListType(NODE_NAME_BYTES_MAX),
  weight: uint16,
  blsPublicKey: blsKeyType,
  peerKey: new ByteVectorType(ED25519_PUBLIC_KEY_BYTES),
  address: new ByteListType(NODE_ADDRESS_BYTES_MAX),
  operator: accountKeyType,
  feeAccount: accountKeyType,
  consent: new ByteVectorType(BLS_AGGREGATE_BYTES),
});

const addValidatorCodec = bodyCodec<AddValidator, AddValidatorWire>('addValidator', addValidatorType, {
  toWire: ({ name, weight, blsPublicKey, peerKey, address, operator, feeAccount, consent }) => ({
    weight,
    blsPublicKey,
    consent,
    name: utf8(name),
    peerKey: fromHex(peerKey),
    address: utf8(address),
    operator: accountKeyToWire(operator),
    feeAccount: accountKeyToWire(feeAccount),
  }),
  fromWire: (wire) =>
    checkedAddition({
      ...wire,
      kind: 'addValidator',
      name: fromUtf8(wire.name),
      peerKey: toHex(wire.peerKey) as PeerKey,
      address: fromUtf8(wire.address),
      operator: accountKeyFromWire(wire.operator),
      feeAccount: accountKeyFromWire(wire.feeAccount),
    }),
});

/** Throws RangeError. */
export function checkedAddition(change: AddValidator): AddValidator {
  if (!NODE_NAME.match.test(change.name)) throw new RangeError(`a name must be ${NODE_NAME.is}`);
  requireNodeAddress(change.address);
  return change;
}

/** Throws RangeError. */
export function checkedGovernance(change: SetGovernance): SetGovernance {
  const [fault] = governanceFaults(change.governance);
  if (fault !== undefined) throw new RangeError(fault);
  return change;
}

/** Throws RangeError. */
export function checkedUpgrade(change: UpgradeApplication): UpgradeApplication {
  if (!isNameOfApplication(change.name))
    throw new RangeError('a name must be a letter, then up to 31 of a-z, 0-9 and -');
  return change;
}

/** By number on the wire. */
const REPUTATIONS = [false, true, undefined] as const;

interface ChangeForm<C extends Change> {
  /** Never reused. */
  readonly tag: number;
  readonly codec: Codec<C>;
}

export const CHANGE_FORMS: { readonly [K in ChangeKind]: ChangeForm<Extract<Change, { kind: K }>> } = {
  addValidator: { tag: 1, codec: addValidatorCodec },
  removeValidator: {
    tag: 2,
    codec: plainCodec<RemoveValidator>('removeValidator', new ContainerType({ validatorId: bytes32 })),
  },
  setWeight: {
    tag: 3,
    codec: plainCodec<SetWeight>('setWeight', new ContainerType({ validatorId: bytes32, weight: uint16 })),
  },
  setParameters: {
    tag: 4,
    codec: bodyCodec<SetParameters, Omit<SetParameters, 'kind' | 'leaderReputation'> & { readonly reputation: number }>(
      'setParameters',
      new ContainerType({ fees: feeParametersType, times: timeParametersType, reputation: uint8 }),
      {
        toWire: ({ fees, times, leaderReputation }) => ({
          fees,
          times,
          reputation: REPUTATIONS.indexOf(leaderReputation),
        }),
        fromWire: ({ fees, times, reputation }) => {
          if (reputation >= REPUTATIONS.length) throw new RangeError(`unknown leader reputation ${reputation}`);
          const leaderReputation = REPUTATIONS[reputation];
          return { kind: 'setParameters', fees, times, ...(leaderReputation !== undefined && { leaderReputation }) };
        },
      },
    ),
  },
  setTrustedIssuers: {
    tag: 5,
    codec: plainCodec<SetTrustedIssuers>(
      'setTrustedIssuers',
      new ContainerType({ trustedIssuers: trustedIssuersType }),
    ),
  },
  setVersion: { tag: 6, codec: plainCodec<SetVersion>('setVersion', new ContainerType({ version: uint16 })) },
  setGovernance: {
    tag: 7,
    codec: bodyCodec<SetGovernance, { readonly governance: GovernanceWire }>(
      'setGovernance',
      new ContainerType({ governance: governanceType }),
      {
        toWire: ({ governance }) => ({ governance: governanceToWire(governance) }),
        fromWire: ({ governance }) =>
          checkedGovernance({ kind: 'setGovernance', governance: governanceFromWire(governance) }),
      },
    ),
  },
  upgradeApplication: {
    tag: 8,
    codec: bodyCodec<UpgradeApplication, Omit<UpgradeApplication, 'kind' | 'name'> & { readonly name: Uint8Array }>(
      'upgradeApplication',
      new ContainerType({ name: new ByteListType(APPLICATION_NAME_BYTES_MAX), version: uint32, hash: bytes32 }),
      {
        toWire: ({ name, version, hash }) => ({ name: utf8(name), version, hash }),
        fromWire: ({ name, version, hash }) =>
          checkedUpgrade({ kind: 'upgradeApplication', name: fromUtf8(name), version, hash }),
      },
    ),
  },
};

type BodyType = Codec<unknown>['type'];

function bodyCodec<C extends Change, Wire>(
  kind: C['kind'],
  type: BodyType,
  form: { toWire(change: C): Wire; fromWire(wire: Wire): C },
): Codec<C> {
  return createCodec<C, Wire>(kind, type, CHANGE_BODY_BYTES_MAX, form);
}

/** Its fields are the wire's. */
function plainCodec<C extends Change>(kind: C['kind'], type: BodyType): Codec<C> {
  return createCodec<C, Omit<C, 'kind'>>(kind, type, CHANGE_BODY_BYTES_MAX, {
    toWire: ({ kind: _, ...fields }) => fields,
    fromWire: (fields) => ({ kind, ...fields }) as C,
  });
}

export interface ChangeWire {
  readonly tag: number;
  readonly body: Uint8Array;
}

export const changeType = new ContainerType({ tag: uint8, body: new ByteListType(CHANGE_BODY_BYTES_MAX) });

const KIND_OF_TAG = new Map(Object.entries(CHANGE_FORMS).map(([kind, form]) => [form.tag, kind as ChangeKind]));

/** TypeScript cannot relate entry and kind through a union. */
function formOf(kind: ChangeKind): ChangeForm<Change> {
  return CHANGE_FORMS[kind] as unknown as ChangeForm<Change>;
}

export function changeToWire(change: Change): ChangeWire {
  const form = formOf(change.kind);
  return { tag: form.tag, body: form.codec.encode(change) };
}

/** Throws on an unknown tag or a non-canonical body. */
export function changeFromWire(wire: ChangeWire): Change {
  const kind = KIND_OF_TAG.get(wire.tag);
  if (kind === undefined) throw new RangeError(`unknown change ${wire.tag}`);
  const decoded = formOf(kind).codec.decode(wire.body);
  if (!decoded.ok) throw new RangeError(decoded.error.message);
  return decoded.value;
}
