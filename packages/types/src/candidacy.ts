/**
 * Candidacy: a node's public application for a chain without a genesis.
 *
 *   message = SHA-256(domain || serialized terms), signed by the network key and, for a validator, by the BLS key
 *
 * The chain's name stands for the genesis hash. Genesis copies the proof of possession, which names no chain.
 */
import type { PeerKey } from '@slipstream/primitives';
import {
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
  utf8,
} from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyToWire,
  accountKeyType,
} from './account.ts';
import {
  BLS_PUBLIC_KEY_BYTES,
  BLS_SIGNATURE_BYTES,
  ED25519_PUBLIC_KEY_BYTES,
  NODE_ADDRESS_BYTES_MAX,
  NODE_NAME_BYTES_MAX,
} from './limits.ts';
import { uint16 } from './subject-wire.ts';

interface ValidatorTerms {
  readonly address: string;
  readonly weight: number;
  /** Rotates the validator's keys, and lets it leave. */
  readonly operator: AccountKey;
  /** Earns the validator's fees. */
  readonly feeAccount: AccountKey;
  /** 48 bytes. */
  readonly blsPublicKey: Uint8Array;
  /** 192 bytes. */
  readonly proofOfPossession: Uint8Array;
}

export interface CandidacyTerms {
  readonly chain: string;
  readonly name: string;
  readonly peerKey: PeerKey;
  /** Undefined for a full node, which accepts no calls. */
  readonly validator: ValidatorTerms | undefined;
}

export interface Candidacy extends CandidacyTerms {
  /** 64 bytes, Ed25519, over candidacyMessage. */
  readonly peerSignature: Uint8Array;
  /** 96 bytes, over candidacyMessage. Undefined for a full node. */
  readonly blsSignature: Uint8Array | undefined;
}

const CHAIN_BYTES_MAX = 32;

interface TermsWire {
  readonly chain: Uint8Array;
  readonly name: Uint8Array;
  readonly peerKey: Uint8Array;
  readonly validator: readonly ValidatorTermsWire[];
}

interface ValidatorTermsWire extends Omit<ValidatorTerms, 'address' | 'operator' | 'feeAccount'> {
  readonly address: Uint8Array;
  readonly operator: AccountKeyWire;
  readonly feeAccount: AccountKeyWire;
}

const validatorType = new ContainerType({
  address: new ByteListType(NODE_ADDRESS_BYTES_MAX),
  weight: uint16,
  operator: accountKeyType,
  feeAccount: accountKeyType,
  blsPublicKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES),
  proofOfPossession: new ByteVectorType(BLS_SIGNATURE_BYTES),
});
const termsType = new ContainerType({
  chain: new ByteListType(CHAIN_BYTES_MAX),
  name: new ByteListType(NODE_NAME_BYTES_MAX),
  peerKey: new ByteVectorType(ED25519_PUBLIC_KEY_BYTES),
  validator: new ListCompositeType(validatorType, 1),
});

const termsCodec = createCodec<CandidacyTerms, TermsWire>('candidacy', termsType, termsType.maxSize, {
  toWire: ({ chain, name, peerKey, validator }) => ({
    chain: utf8(chain),
    name: utf8(name),
    peerKey: fromHex(peerKey),
    validator: validator === undefined ? [] : [validatorToWire(validator)],
  }),
  fromWire: ({ chain, name, peerKey, validator: [validator] }) => ({
    chain: fromUtf8(chain),
    name: fromUtf8(name),
    peerKey: toHex(peerKey) as PeerKey,
    validator: validator && validatorFromWire(validator),
  }),
});

function validatorToWire(terms: ValidatorTerms): ValidatorTermsWire {
  const { address, operator, feeAccount } = terms;
  const accounts = { operator: accountKeyToWire(operator), feeAccount: accountKeyToWire(feeAccount) };
  return { ...terms, ...accounts, address: utf8(address) };
}

function validatorFromWire(wire: ValidatorTermsWire): ValidatorTerms {
  const { address, operator, feeAccount } = wire;
  const accounts = { operator: accountKeyFromWire(operator), feeAccount: accountKeyFromWire(feeAccount) };
  return { ...wire, ...accounts, address: fromUtf8(address) };
}

const CANDIDACY_DOMAIN = domainPrefix('slipstream/candidacy');

/** 32 bytes. */
export function candidacyMessage(terms: CandidacyTerms): Uint8Array {
  return hashInDomain(CANDIDACY_DOMAIN, termsCodec.encode(terms));
}
