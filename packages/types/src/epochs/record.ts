/**
 * Epoch record: one committee with one set of parameters.
 *
 *   hash = SHA-256(domain || genesisHash || epoch || version || SHA-256(parameters) || SHA-256(certified members) || SHA-256(rest))
 *
 * Record 0 follows from genesis. A record is immutable and looked up by its number. Weights and BLS keys are hashed apart, as in a
 * committee certificate, so that a light client needs nothing else of it.
 */
import {
  BooleanType,
  ByteListType,
  ByteVectorType,
  ContainerType,
  createCodec,
  domainPrefix,
  fromHex,
  fromUtf8,
  hashInDomain,
  ListCompositeType,
  type PeerKey,
  sha256,
  toHex,
  uint32le,
  utf8,
} from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyToWire,
  accountKeyType,
} from '../account.ts';
import { type CertifiedMember, type Committee, createCommittee } from '../committee.ts';
import type { Genesis } from '../genesis.ts';
import type { Epoch, GenesisHash, RecordHash } from '../ids.ts';
import { asId, epoch as epochOf, GENESIS_EPOCH } from '../ids.ts';
import {
  BLS_PUBLIC_KEY_BYTES,
  COMMITTEE_MEMBERS_MAX,
  ED25519_PUBLIC_KEY_BYTES,
  NODE_ADDRESS_BYTES_MAX,
} from '../limits.ts';
import { certifiedMembersHash } from '../session/committee-certificate.ts';
import { bytes32, uint16, uint32 } from '../subject-wire.ts';
import { type EpochParameters, epochParametersType } from './parameters.ts';
import { type ValidatorId, validatorIdOf } from './validator-id.ts';

export interface RecordMember {
  readonly validatorId: ValidatorId;
  /** A positive integer. */
  readonly weight: number;
  /** 48 bytes. */
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
  /** Of the epoch before, where it differs: its nodes change it one after another, so both are admitted. */
  readonly previousPeerKey: PeerKey | undefined;
  /** `host:port`. */
  readonly address: string;
  readonly feeAccount: AccountKey;
  /** False for one that lost too many turns. */
  readonly leads: boolean;
}

export interface EpochRecord {
  readonly epoch: Epoch;
  /** Of the rules. */
  readonly version: number;
  readonly parameters: EpochParameters;
  readonly members: readonly RecordMember[];
}

/** Of the rules that this program knows. */
export const RULES_VERSION = 1;

const peerKeyType = new ByteVectorType(ED25519_PUBLIC_KEY_BYTES);
const certifiedFields = { weight: uint16, blsPublicKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES) };
const restFields = {
  validatorId: bytes32,
  peerKey: peerKeyType,
  previousPeerKey: new ListCompositeType(peerKeyType, 1),
  address: new ByteListType(NODE_ADDRESS_BYTES_MAX),
  feeAccount: accountKeyType,
  leads: new BooleanType(),
};

interface RestWire {
  readonly validatorId: Uint8Array;
  readonly peerKey: Uint8Array;
  readonly previousPeerKey: readonly Uint8Array[];
  readonly address: Uint8Array;
  readonly feeAccount: AccountKeyWire;
  readonly leads: boolean;
}

interface MemberWire extends RestWire {
  readonly weight: number;
  readonly blsPublicKey: Uint8Array;
}

export const recordMemberType = new ContainerType({ ...certifiedFields, ...restFields });
const restType = new ListCompositeType(new ContainerType(restFields), COMMITTEE_MEMBERS_MAX);

function restToWire(member: RecordMember): RestWire {
  return {
    validatorId: member.validatorId,
    peerKey: fromHex(member.peerKey),
    previousPeerKey: member.previousPeerKey === undefined ? [] : [fromHex(member.previousPeerKey)],
    address: utf8(member.address),
    feeAccount: accountKeyToWire(member.feeAccount),
    leads: member.leads,
  };
}

function memberToWire(member: RecordMember): MemberWire {
  return { weight: member.weight, blsPublicKey: member.blsPublicKey, ...restToWire(member) };
}

function memberFromWire({ previousPeerKey: [previous], ...wire }: MemberWire): RecordMember {
  return {
    ...wire,
    validatorId: wire.validatorId as ValidatorId,
    peerKey: toHex(wire.peerKey) as PeerKey,
    previousPeerKey: previous && (toHex(previous) as PeerKey),
    address: fromUtf8(wire.address),
    feeAccount: accountKeyFromWire(wire.feeAccount),
  };
}

export const recordMemberCodec = createCodec<RecordMember, MemberWire>(
  'record member',
  recordMemberType,
  recordMemberType.maxSize,
  { toWire: memberToWire, fromWire: memberFromWire },
);

const recordType = new ContainerType({
  epoch: uint32,
  version: uint16,
  parameters: epochParametersType,
  members: new ListCompositeType(recordMemberType, COMMITTEE_MEMBERS_MAX),
});

interface RecordWire {
  readonly epoch: number;
  readonly version: number;
  readonly parameters: EpochParameters;
  readonly members: readonly MemberWire[];
}

export const epochRecordCodec = createCodec<EpochRecord, RecordWire>('epoch record', recordType, recordType.maxSize, {
  toWire: (record) => ({ ...record, members: record.members.map(memberToWire) }),
  fromWire: (wire) => ({ ...wire, epoch: epochOf(wire.epoch), members: wire.members.map(memberFromWire) }),
});

const DOMAIN = domainPrefix('slipstream/record');

/** A record to light clients: its committee, and hashes in place of the rest. */
interface HashedRecord {
  readonly epoch: Epoch;
  readonly version: number;
  readonly parametersHash: Uint8Array;
  readonly members: readonly CertifiedMember[];
  /** Over the members' other fields. */
  readonly restHash: Uint8Array;
}

export function hashedRecordOf({ epoch, version, parameters, members }: EpochRecord): HashedRecord {
  return {
    epoch,
    version,
    parametersHash: sha256(epochParametersType.serialize(parameters as never)),
    members: members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey })),
    restHash: sha256(restType.serialize(members.map(restToWire) as never)),
  };
}

export function recordHashOf(genesisHash: GenesisHash, record: EpochRecord): RecordHash {
  return recordHashOfParts(genesisHash, hashedRecordOf(record));
}

export function recordHashOfParts(
  genesisHash: GenesisHash,
  { epoch, version, parametersHash, members, restHash }: HashedRecord,
): RecordHash {
  return asId<RecordHash>(
    hashInDomain(
      DOMAIN,
      genesisHash,
      uint32le(epoch),
      uint32le(version),
      parametersHash,
      certifiedMembersHash(members),
      restHash,
    ),
  );
}

export function committeeOfRecord({ epoch, members }: EpochRecord): Committee {
  return createCommittee(
    members.map(({ weight, blsPublicKey, peerKey, leads }) => ({ weight, blsPublicKey, peerKey, leads })),
    epoch,
  );
}

export function recordOfGenesis(
  genesis: Pick<Genesis, 'fees' | 'times' | 'trustedIssuers' | 'leaderReputation' | 'members' | 'applications'>,
): EpochRecord {
  const { fees, times, trustedIssuers, leaderReputation, applications = [] } = genesis;
  const hashes = applications.map(({ hash }) => hash);
  return {
    epoch: GENESIS_EPOCH,
    version: RULES_VERSION,
    parameters: { fees, times, trustedIssuers, leaderReputation, applications: hashes },
    members: genesis.members.map(({ weight, blsPublicKey, peerKey, address, feeAccount }) => ({
      validatorId: validatorIdOf(blsPublicKey),
      weight,
      blsPublicKey,
      peerKey,
      previousPeerKey: undefined,
      address,
      feeAccount,
      leads: true,
    })),
  };
}
