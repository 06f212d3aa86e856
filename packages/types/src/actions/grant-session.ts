/** grantSession: a device authorizes a session key for one chain and service (session/grant.ts). */
import { account, amount, fixedBytes, id, scope, sessionKey, text, timeMs } from '../forms/description.ts';
import type { GenesisHash } from '../ids.ts';
import { type Grant, pseudonymOf, SERVICE_BYTES_MAX } from '../session/grant.ts';
import { cost, NEW_SESSION_WRITES, SESSION_ALLOCATE_BYTES } from './costs.ts';
import { type ActionOf, defineAction } from './definition.ts';

/** Six hashes, and a service's name. */
const GRANT_COMPUTE = 20;
const UNITS = cost(GRANT_COMPUTE, 2, SESSION_ALLOCATE_BYTES, NEW_SESSION_WRITES);

export const grantSession = defineAction({
  kind: 'grantSession',
  tag: 6,
  title: 'GrantSession',
  about: 'A session key may act for an identity, on the target chain, under its pseudonym for the service.',
  fields: {
    anchor: account,
    target: id<GenesisHash>(),
    service: text({ bytesMin: 1, bytesMax: SERVICE_BYTES_MAX, example: 'wallet.example' }),
    /** serviceSaltOf. */
    serviceSalt: fixedBytes(
      32,
      "From the anchor's secret salt and the service: what its pseudonym there is made with.",
    ),
    sessionKey,
    scope,
    spendLimit: amount,
    expiryMs: timeMs,
  },
  units: () => UNITS,
});

export type GrantSession = ActionOf<typeof grantSession>;

/** When the chain `issuer` executes the action. */
export function grantOf(action: GrantSession, issuer: GenesisHash): Grant {
  const { kind: _, anchor, serviceSalt, ...granted } = action;
  return { ...granted, issuer, pseudonym: pseudonymOf(anchor, granted.service, serviceSalt) };
}
