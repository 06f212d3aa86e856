/** grantSession: a device authorizes a session key for one chain and service (session/grant.ts). */
import { ContainerType, createCodec, fromUtf8, to0x, UintBigintType, utf8 } from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyText,
  accountKeyToWire,
  accountKeyType,
} from '../account.ts';
import type { GenesisHash } from '../ids.ts';
import { asId } from '../ids.ts';
import { ACTION_BODY_BYTES_MAX } from '../limits.ts';
import { checkedScope, type Grant, pseudonymOf, serviceName, serviceType } from '../session/grant.ts';
import { scopeActions, scopeOf } from '../session/scope.ts';
import { bytes32, uint32, uint53 } from '../subject-wire.ts';
import { parseAmount, parseBytes, requireAccount } from './json.ts';

export interface GrantSession {
  readonly kind: 'grantSession';
  readonly anchor: AccountKey;
  readonly target: GenesisHash;
  readonly service: string;
  /** 32 bytes (serviceSaltOf). */
  readonly serviceSalt: Uint8Array;
  /** Ed25519, 32 bytes. */
  readonly sessionKey: Uint8Array;
  readonly scope: number;
  readonly spendLimit: bigint;
  readonly expiryMs: number;
}

interface GrantSessionWire extends Omit<GrantSession, 'kind' | 'anchor' | 'service' | 'target'> {
  readonly anchor: AccountKeyWire;
  readonly target: Uint8Array;
  readonly service: Uint8Array;
}

const type = new ContainerType({
  anchor: accountKeyType,
  target: bytes32,
  service: serviceType,
  serviceSalt: bytes32,
  sessionKey: bytes32,
  scope: uint32,
  spendLimit: new UintBigintType(8),
  expiryMs: uint53,
});

export const grantSessionCodec = createCodec<GrantSession, GrantSessionWire>(
  'grantSession',
  type,
  ACTION_BODY_BYTES_MAX,
  {
    toWire: ({ anchor, service, ...rest }) => ({ ...rest, anchor: accountKeyToWire(anchor), service: utf8(service) }),
    fromWire: ({ anchor, service, target, scope, ...rest }) => ({
      kind: 'grantSession',
      ...rest,
      anchor: accountKeyFromWire(anchor),
      target: asId<GenesisHash>(target),
      service: serviceName(fromUtf8(service)),
      scope: checkedScope(scope),
    }),
  },
);

/** When the chain `issuer` executes the action. */
export function grantOf(action: GrantSession, issuer: GenesisHash): Grant {
  const { anchor, target, service, serviceSalt, sessionKey, scope, spendLimit, expiryMs } = action;
  const pseudonym = pseudonymOf(anchor, service, serviceSalt);
  return { issuer, target, pseudonym, service, sessionKey, scope, spendLimit, expiryMs };
}

export interface GrantSessionJson {
  readonly kind: 'grantSession';
  readonly anchor: string;
  readonly target: string;
  readonly service: string;
  readonly serviceSalt: string;
  readonly sessionKey: string;
  readonly scope: readonly string[];
  readonly spendLimit: string;
  readonly expiryMs: number;
}

export function grantSessionToJson(action: GrantSession): GrantSessionJson {
  return {
    kind: 'grantSession',
    anchor: accountKeyText(action.anchor),
    target: to0x(action.target),
    service: action.service,
    serviceSalt: to0x(action.serviceSalt),
    sessionKey: to0x(action.sessionKey),
    scope: scopeActions(action.scope),
    spendLimit: action.spendLimit.toString(),
    expiryMs: action.expiryMs,
  };
}

/** Throws RangeError with the reason. */
export function grantSessionFromJson(json: GrantSessionJson): GrantSession {
  return {
    kind: 'grantSession',
    anchor: requireAccount(json.anchor),
    target: asId<GenesisHash>(parseBytes(json.target)),
    service: serviceName(json.service),
    serviceSalt: parseBytes(json.serviceSalt),
    sessionKey: parseBytes(json.sessionKey),
    scope: checkedScope(scopeOf(json.scope)),
    spendLimit: parseAmount(json.spendLimit),
    expiryMs: json.expiryMs,
  };
}
