/**
 * Genesis: what the nodes of a chain must agree on before its first block.
 *
 * genesisHash = SHA-256(domain || serialized genesis). Every signed value includes it, so no signature is valid on two chains. Times, ports
 * and addresses are configuration.
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
  VectorBasicType,
} from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyToWire,
  accountKeyType,
} from './account.ts';
import { type Committee, createCommittee } from './committee.ts';
import type { GenesisHash } from './ids.ts';
import { asId } from './ids.ts';
import {
  BLS_PUBLIC_KEY_BYTES,
  BLS_SIGNATURE_BYTES,
  COMMITTEE_MEMBERS_MAX,
  ED25519_PUBLIC_KEY_BYTES,
  GENESIS_ALLOCATIONS_MAX,
  GENESIS_BYTES_MAX,
} from './limits.ts';
import { uint16, uint32, uint53 } from './subject-wire.ts';
import { UNIT_DIMENSIONS, type Units } from './units.ts';

export interface GenesisMember {
  readonly weight: number;
  readonly blsPublicKey: Uint8Array;
  /** 192 bytes (crypto, "proof of possession"). */
  readonly proofOfPossession: Uint8Array;
  readonly peerKey: PeerKey;
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

/** By dimension (dissemination.md, "Fees"). */
export interface FeeParameters {
  readonly initialPrices: readonly bigint[];
  readonly minimumPrices: readonly bigint[];
  /** Per block, at which prices do not change. */
  readonly targets: Units;
  readonly limits: Units;
  /** Between two price changes. */
  readonly windowBlocks: number;
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
  readonly state: StateParameters;
  /** Root BLS keys of accepted session credentials (signatures.md, "Certified sessions"). */
  readonly trustedIssuers: readonly Uint8Array[];
}

const CHAIN_NAME_BYTES_MAX = 32;
const TRUSTED_ISSUERS_MAX = 16;

interface GenesisWire extends Omit<Genesis, 'chain' | 'members' | 'allocations'> {
  readonly chain: Uint8Array;
  readonly members: readonly (Omit<GenesisMember, 'peerKey'> & { readonly peerKey: Uint8Array })[];
  readonly allocations: readonly { readonly account: AccountKeyWire; readonly balance: bigint }[];
}

const uint64 = new UintBigintType(8);
const pricesType = new VectorBasicType(uint64, UNIT_DIMENSIONS.length);
const unitsType = new VectorBasicType(uint53, UNIT_DIMENSIONS.length);
const memberType = new ContainerType({
  weight: uint16,
  blsPublicKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES),
  proofOfPossession: new ByteVectorType(BLS_SIGNATURE_BYTES),
  peerKey: new ByteVectorType(ED25519_PUBLIC_KEY_BYTES),
});
const allocationType = new ContainerType({ account: accountKeyType, balance: uint64 });
const genesisType = new ContainerType({
  chain: new ByteListType(CHAIN_NAME_BYTES_MAX),
  timestampMs: uint53,
  development: new BooleanType(),
  members: new ListCompositeType(memberType, COMMITTEE_MEMBERS_MAX),
  allocations: new ListCompositeType(allocationType, GENESIS_ALLOCATIONS_MAX),
  generated: new ContainerType({ seed: new ByteVectorType(32), count: uint32, balance: uint64 }),
  fees: new ContainerType({
    initialPrices: pricesType,
    minimumPrices: pricesType,
    targets: unitsType,
    limits: unitsType,
    windowBlocks: uint32,
  }),
  state: new ContainerType({
    history: uint16,
    deadPercent: uint16,
    deadBytesMin: uint32,
    deadBytesMax: uint32,
    moveBytesMax: uint32,
  }),
  trustedIssuers: new ListCompositeType(new ByteVectorType(BLS_PUBLIC_KEY_BYTES), TRUSTED_ISSUERS_MAX),
});

export const genesisCodec = createCodec<Genesis, GenesisWire>('genesis', genesisType, GENESIS_BYTES_MAX, {
  toWire: (genesis) => ({
    ...genesis,
    chain: utf8(genesis.chain),
    members: genesis.members.map((member) => ({ ...member, peerKey: fromHex(member.peerKey) })),
    allocations: genesis.allocations.map(({ account, balance }) => ({ account: accountKeyToWire(account), balance })),
  }),
  fromWire: (wire) => ({
    ...wire,
    chain: fromUtf8(wire.chain),
    members: wire.members.map((member) => ({ ...member, peerKey: toHex(member.peerKey) as PeerKey })),
    allocations: wire.allocations.map(({ account, balance }) => ({ account: accountKeyFromWire(account), balance })),
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
