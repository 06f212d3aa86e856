/** revokeSession: fails with `session-unknown` or `not-a-device`. Idempotent. */
import { bytesEqual } from '@slipstream/primitives';
import type { RevokeSession } from '@slipstream/types';
import { devicesStateKey, speaksFor } from '../sessions/devices.ts';
import { decodeSession, encodeSession, sessionStateKey } from '../sessions/record.ts';
import type { StateKey } from '../state-keys.ts';
import { type ActionRule, APPLIED } from './rule.ts';

export const revokeSessionRule: ActionRule<RevokeSession> = {
  keys: (_, { owner, grantId }) => [sessionStateKey(grantId), devicesStateKey(owner)],
  apply(scratch, { owner }, keys, { sender }) {
    const [key, devices] = keys as readonly [StateKey, StateKey];
    const value = scratch.get(key);
    if (value === undefined) return { ok: false, code: 'session-unknown' };
    const record = decodeSession(value);
    const owns = record.owner.scheme === owner.scheme && bytesEqual(record.owner.bytes, owner.bytes);
    if (!owns || !speaksFor(scratch, sender, owner, devices)) return { ok: false, code: 'not-a-device' };
    scratch.set(key, encodeSession({ ...record, revoked: true }));
    return APPLIED;
  },
};
