/**
 * Grants: what a device of an identity allows a session key to do on a chain, for a service (signatures.md, "Certified sessions").
 *
 *   anchor, service, salt of the service --hash--> pseudonym --with the issuer--> the account that acts on the target chain
 *   grant --hash--> grant id: in the receipt of grantSession; the session's name from then on
 *
 * A service's salt is derived from the anchor's secret salt, which never leaves the user's devices. So the issuing chain can check an
 * anchor's pseudonym, and pseudonyms of two services cannot be linked.
 */
import {
  ByteListType,
  ContainerType,
  createCodec,
  domainPrefix,
  fromUtf8,
  hashInDomain,
  UintBigintType,
  uint32le,
  utf8,
} from '@slipstream/primitives';
import { type AccountKey, accountKeyBytes, pseudonymAccount } from '../account.ts';
import type { GenesisHash, GrantId } from '../ids.ts';
import { asId } from '../ids.ts';
import { bytes32, uint32, uint53 } from '../subject-wire.ts';
import { isScope } from './scope.ts';

/** For example wallet.example. */
export const SERVICE_BYTES_MAX = 64;
export const GRANT_LIFE_MS_MAX = 30 * 24 * 60 * 60 * 1000;

export interface Grant {
  /** Certifies the grant. */
  readonly issuer: GenesisHash;
  readonly target: GenesisHash;
  /** The identity as the service knows it. */
  readonly pseudonym: Uint8Array;
  /** 1 to 64 bytes of UTF-8. */
  readonly service: string;
  /** Ed25519. */
  readonly sessionKey: Uint8Array;
  /** Bits of scope.ts. */
  readonly scope: number;
  /** Total that may leave the account, fees included. */
  readonly spendLimit: bigint;
  /** ms since 1970, against block timestamps. */
  readonly expiryMs: number;
}

export interface GrantWire extends Omit<Grant, 'service'> {
  readonly service: Uint8Array;
}

const serviceType = new ByteListType(SERVICE_BYTES_MAX);

export const grantType = new ContainerType({
  issuer: bytes32,
  target: bytes32,
  pseudonym: bytes32,
  service: serviceType,
  sessionKey: bytes32,
  scope: uint32,
  spendLimit: new UintBigintType(8),
  expiryMs: uint53,
});

export function grantToWire(grant: Grant): GrantWire {
  return { ...grant, service: utf8(grant.service) };
}

/** Throws RangeError. */
export function grantFromWire(wire: GrantWire): Grant {
  return { ...wire, service: serviceName(fromUtf8(wire.service)), scope: checkedScope(wire.scope) };
}

export const grantCodec = createCodec<Grant, GrantWire>('grant', grantType, grantType.maxSize, {
  toWire: grantToWire,
  fromWire: grantFromWire,
});

/** Throws RangeError. */
function serviceName(service: string): string {
  const bytes = utf8(service).length;
  if (bytes < 1 || bytes > SERVICE_BYTES_MAX) {
    throw new RangeError(`a service's name has 1 to ${SERVICE_BYTES_MAX} bytes, not ${bytes}`);
  }
  return service;
}

/** Throws RangeError. */
function checkedScope(scope: number): number {
  if (!isScope(scope)) throw new RangeError('a scope names at least one action, and only those that sessions may do');
  return scope;
}

const GRANT_DOMAIN = domainPrefix('slipstream/grant');
const PSEUDONYM_DOMAIN = domainPrefix('slipstream/pseudonym');
const SERVICE_SALT_DOMAIN = domainPrefix('slipstream/service-salt');
const ACCOUNT_DOMAIN = domainPrefix('slipstream/pseudonym-account');

/** The id is needed several times per transaction. */
const grantIds = new WeakMap<Grant, GrantId>();

export function grantIdOf(grant: Grant): GrantId {
  const known = grantIds.get(grant);
  if (known !== undefined) return known;
  const id = asId<GrantId>(hashInDomain(GRANT_DOMAIN, grantCodec.encode(grant)));
  grantIds.set(grant, id);
  return id;
}

/** What the issuing chain learns of the anchor's secret salt: 32 bytes. */
export function serviceSaltOf(anchorSalt: Uint8Array, service: string): Uint8Array {
  return hashInDomain(SERVICE_SALT_DOMAIN, anchorSalt, utf8(serviceName(service)));
}

export function pseudonymOf(anchor: AccountKey, service: string, serviceSalt: Uint8Array): Uint8Array {
  const name = utf8(service);
  return hashInDomain(PSEUDONYM_DOMAIN, accountKeyBytes(anchor), uint32le(name.length), name, serviceSalt);
}

/** Includes the issuer's id, so an issuer certifies only its own users. */
export function sessionAccountOf(issuerId: Uint8Array, pseudonym: Uint8Array): AccountKey {
  return pseudonymAccount(hashInDomain(ACCOUNT_DOMAIN, issuerId, pseudonym));
}
