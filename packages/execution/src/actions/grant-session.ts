/**
 * grantSession: fails with `not-a-device`, `session-expiry`, `session-exists`, `application-unknown` or `output-too-long`.
 *
 * The pseudonym is computed here, so no sender can claim another's. The receipt's output names the grant, so the block's state
 * certificate certifies it.
 */
import { bytesEqual } from '@slipstream/primitives';
import {
  GRANT_LIFE_MS_MAX,
  type GrantSession,
  grantIdOf,
  grantOf,
  grantOutput,
  highestCallOf,
  sessionAccountOf,
} from '@slipstream/types';
import { devicesStateKey, speaksFor } from '../sessions/devices.ts';
import { encodeSession, sessionStateKey } from '../sessions/record.ts';
import type { StateKey } from '../state-keys.ts';
import type { ActionRule } from './rule.ts';

export const grantSessionRule: ActionRule<GrantSession> = {
  keys: ({ genesisHash }, action) => [
    sessionStateKey(grantIdOf(grantOf(action, genesisHash))),
    devicesStateKey(action.anchor),
  ],
  apply(scratch, action, keys, { sender, genesisHash, timestampMs, transactionId, applications }) {
    const [key, devices] = keys as readonly [StateKey, StateKey];
    if (!speaksFor(scratch, sender, action.anchor, devices)) return { ok: false, code: 'not-a-device' };
    const { expiryMs, sessionKey, scope, spendLimit: limit, anchor: owner } = action;
    if (expiryMs <= timestampMs || expiryMs > timestampMs + GRANT_LIFE_MS_MAX) {
      return { ok: false, code: 'session-expiry' };
    }
    if (scratch.get(key) !== undefined) return { ok: false, code: 'session-exists' };
    const actsHere = bytesEqual(action.target, genesisHash);
    // What another chain runs is not known here.
    if (actsHere && (highestCallOf(scope) ?? -1) >= applications.count)
      return { ok: false, code: 'application-unknown' };
    const grant = grantOf(action, genesisHash);
    const account = sessionAccountOf(genesisHash, grant.pseudonym);
    const fresh = { spent: 0n, revoked: false, actsHere, transactionId };
    scratch.set(key, encodeSession({ owner, account, sessionKey, scope, limit, expiryMs, ...fresh }));
    return { ok: true, output: grantOutput(grantIdOf(grant)) };
  },
};
