/**
 * Genesis: what the nodes of a chain must agree on before its first block.
 *
 * genesisHash = SHA-256(domain || serialized genesis). Every signed value includes it, so no signature is valid on two chains. Members,
 * fees, times and governance are those of epoch 0; later ones are in the state (epochs/record.ts).
 */

import type { PeerKey } from '@slipstream/primitives';
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
  toHex,
  UintBigintType,
  utf8,
} from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyToWire,
  accountKeyType,
} from './account.ts';
import { type Committee, createCommittee } from './committee.ts';
import { type DistilledParameters, distilledParametersType } from './directory/parameters.ts';
import {
  type Governance,
  type GovernanceWire,
  governanceFromWire,
  governanceToWire,
  governanceType,
} from './epochs/governance.ts';
import {
  type FeeParameters,
  feeParametersType,
  type TimeParameters,
  timeParametersType,
  trustedIssuersType,
} from './epochs/parameters.ts';
import {
  type GenesisApplication,
  type GenesisApplicationWire,
  genesisApplicationFromWire,
  genesisApplicationToWire,
  genesisApplicationType,
} from './genesis-applications.ts';
import type { GenesisHash } from './ids.ts';
import { asId } from './ids.ts';
import {
  APPLICATIONS_MAX,
  BLS_PUBLIC_KEY_BYTES,
  BLS_SIGNATURE_BYTES,
  COMMITTEE_MEMBERS_MAX,
  ED25519_PUBLIC_KEY_BYTES,
  GENESIS_ALLOCATIONS_MAX,
  GENESIS_BYTES_MAX,
  NODE_ADDRESS_BYTES_MAX,
  NODE_NAME_BYTES_MAX,
} from './limits.ts';
import { uint16, uint32, uint53 } from './subject-wire.ts';

export interface GenesisMember {
  /** For people; each once. */
  readonly name: string;
  readonly weight: number;
  readonly blsPublicKey: Uint8Array;
  /** 192 bytes (crypto, "proof of possession"). */
  readonly proofOfPossession: Uint8Array;
  readonly peerKey: PeerKey;
  /** `host:port`. */
  readonly address: string;
  /** Rotates the validator's keys, and lets it leave. */
  readonly operator: AccountKey;
  /** Earns the validator's fees. */
  readonly feeAccount: AccountKey;
}

interface Allocation {
  readonly account: AccountKey;
  readonly balance: bigint;
}

/** Accounts of large test chains; their keys are derived from the seed. */
interface GeneratedAccounts {
  readonly seed: Uint8Array;
  readonly count: number;
  readonly balance: bigint;
}

/** Of the state store (state.md); equal on all nodes, because state files must be equal byte for byte. */
export interface StateParameters {
  /** There are history + 1 log files. */
  readonly history: number;
  /** A log with dead bytes above this percentage of its live bytes is compacted. */
  readonly deadPercent: number;
  /** With fewer, never compacted. */
  readonly deadBytesMin: number;
  /** With more, always compacted. */
  readonly deadBytesMax: number;
  /** Of live records, per batch. */
  readonly moveBytesMax: number;
}

export interface Genesis {
  /** 1 to 32 bytes. */
  readonly chain: string;
  readonly timestampMs: number;
  /** Allows the faucet route. */
  readonly development: boolean;
  readonly members: readonly GenesisMember[];
  readonly allocations: readonly Allocation[];
  readonly generated: GeneratedAccounts;
  readonly fees: FeeParameters;
  readonly times: TimeParameters;
  readonly state: StateParameters;
  /** Root BLS keys of accepted session credentials (signatures.md, "Certified sessions"). */
  readonly trustedIssuers: readonly Uint8Array[];
  readonly leaderReputation: boolean;
  readonly governance: Governance;
  /** Undefined: no account directory, no distilled batches. */
  readonly distilled?: DistilledParameters | undefined;
  /** Undefined: none. */
  readonly applications?: readonly GenesisApplication[] | undefined;
}

const CHAIN_NAME_BYTES_MAX = 32;

interface GenesisWire
  extends Omit<Genesis, 'chain' | 'members' | 'allocations' | 'governance' | 'distilled' | 'applications'> {
  readonly chain: Uint8Array;
  readonly members: readonly MemberWire[];
  readonly allocations: readonly { readonly account: AccountKeyWire; readonly balance: bigint }[];
  readonly governance: GovernanceWire;
  readonly distilled: readonly DistilledParameters[];
  readonly applications: readonly GenesisApplicationWire[];
}

interface MemberWire extends Omit<GenesisMember, 'name' | 'peerKey' | 'address' | 'operator' | 'feeAccount'> {
  readonly name: Uint8Array;
  readonly peerKey: Uint8Array;
  readonly address: Uint8Array;
  readonly operator: AccountKeyWire;
  readonly feeAccount: AccountKeyWire;
}

const uint64 = new UintBigintType(8);
const memberType = new ContainerType({
  name: new ByteListType(NODE_NAME_BYTES_MAX),
  weight: uint16,
  blsPublicKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES),
  proofOfPossession: new ByteVectorType(BLS_SIGNATURE_BYTES),
  peerKey: new ByteVectorType(ED25519_PUBLIC_KEY_BYTES),
  address: new ByteListType(NODE_ADDRESS_BYTES_MAX),
  operator: accountKeyType,
  feeAccount: accountKeyType,
});
const allocationType = new ContainerType({ account: accountKeyType, balance: uint64 });
const genesisType = new ContainerType({
  chain: new ByteListType(CHAIN_NAME_BYTES_MAX),
  timestampMs: uint53,
  development: new BooleanType(),
  members: new ListCompositeType(memberType, COMMITTEE_MEMBERS_MAX),
  allocations: new ListCompositeType(allocationType, GENESIS_ALLOCATIONS_MAX),
  generated: new ContainerType({ seed: new ByteVectorType(32), count: uint32, balance: uint64 }),
  fees: feeParametersType,
  times: timeParametersType,
  state: new ContainerType({
    history: uint16,
    deadPercent: uint16,
    deadBytesMin: uint32,
    deadBytesMax: uint32,
    moveBytesMax: uint32,
  }),
  trustedIssuers: trustedIssuersType,
  leaderReputation: new BooleanType(),
  governance: governanceType,
  distilled: new ListCompositeType(distilledParametersType, 1),
  applications: new ListCompositeType(genesisApplicationType, APPLICATIONS_MAX),
});

function memberToWire(member: GenesisMember): MemberWire {
  return {
    ...member,
    name: utf8(member.name),
    peerKey: fromHex(member.peerKey),
    address: utf8(member.address),
    operator: accountKeyToWire(member.operator),
    feeAccount: accountKeyToWire(member.feeAccount),
  };
}

function memberFromWire(wire: MemberWire): GenesisMember {
  return {
    ...wire,
    name: fromUtf8(wire.name),
    peerKey: toHex(wire.peerKey) as PeerKey,
    address: fromUtf8(wire.address),
    operator: accountKeyFromWire(wire.operator),
    feeAccount: accountKeyFromWire(wire.feeAccount),
  };
}

export const genesisCodec = createCodec<Genesis, GenesisWire>('genesis', genesisType, GENESIS_BYTES_MAX, {
  toWire: (genesis) => ({
    ...genesis,
    chain: utf8(genesis.chain),
    members: genesis.members.map(memberToWire),
    allocations: genesis.allocations.map(({ account, balance }) => ({ account: accountKeyToWire(account), balance })),
    governance: governanceToWire(genesis.governance),
    distilled: genesis.distilled === undefined ? [] : [genesis.distilled],
    applications: (genesis.applications ?? []).map(genesisApplicationToWire),
  }),
  fromWire: ({ distilled, applications, ...wire }) => ({
    ...wire,
    ...(distilled[0] && { distilled: distilled[0] }),
    ...(applications.length > 0 && { applications: applications.map(genesisApplicationFromWire) }),
    chain: fromUtf8(wire.chain),
    members: wire.members.map(memberFromWire),
    allocations: wire.allocations.map(({ account, balance }) => ({ account: accountKeyFromWire(account), balance })),
    governance: governanceFromWire(wire.governance),
  }),
});

const GENESIS_DOMAIN = domainPrefix('slipstream/genesis');

export function genesisHashOf(genesis: Genesis): GenesisHash {
  return asId<GenesisHash>(hashInDomain(GENESIS_DOMAIN, genesisCodec.encode(genesis)));
}

export function committeeOf(genesis: Genesis): Committee {
  return createCommittee(
    genesis.members.map(({ weight, blsPublicKey, peerKey }) => ({ weight, blsPublicKey, peerKey })),
  );
}
