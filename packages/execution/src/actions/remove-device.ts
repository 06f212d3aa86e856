/** removeDevice: fails with `not-a-device`, `device-unknown` or `last-device`. Sessions that it granted live on: revoke them. */
import { bytesEqual } from '@slipstream/primitives';
import type { RemoveDevice } from '@slipstream/types';
import {
  DEVICES_ALLOCATE_BYTES,
  DEVICES_WRITE_UNITS,
  decodeDevices,
  devicesStateKey,
  encodeDevices,
  isAmong,
} from '../sessions/devices.ts';
import type { StateKey } from '../state-keys.ts';
import { type ActionRule, APPLIED } from './rule.ts';

const COMPUTE = 1;

export const removeDeviceRule: ActionRule<RemoveDevice> = {
  keys: (_, { anchor }) => [devicesStateKey(anchor)],
  units: () => [0, COMPUTE, 1, DEVICES_ALLOCATE_BYTES, DEVICES_WRITE_UNITS],
  apply(scratch, { anchor, device }, keys, { sender }) {
    const key = keys[0] as StateKey;
    const devices = decodeDevices(scratch.get(key), anchor);
    if (!isAmong(devices, sender)) return { ok: false, code: 'not-a-device' };
    if (!isAmong(devices, device)) return { ok: false, code: 'device-unknown' };
    if (devices.length === 1) return { ok: false, code: 'last-device' };
    const rest = devices.filter(({ scheme, bytes }) => scheme !== device.scheme || !bytesEqual(bytes, device.bytes));
    scratch.set(key, encodeDevices(rest));
    return APPLIED;
  },
};
