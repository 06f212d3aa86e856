/** addDevice: fails with `not-a-device`, `device-known` or `device-limit`. */
import { type AddDevice, ANCHOR_DEVICES_MAX } from '@slipstream/types';
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

export const addDeviceRule: ActionRule<AddDevice> = {
  keys: (_, { anchor }) => [devicesStateKey(anchor)],
  units: () => [0, COMPUTE, 1, DEVICES_ALLOCATE_BYTES, DEVICES_WRITE_UNITS],
  apply(scratch, { anchor, device }, keys, { sender }) {
    const key = keys[0] as StateKey;
    const devices = decodeDevices(scratch.get(key), anchor);
    if (!isAmong(devices, sender)) return { ok: false, code: 'not-a-device' };
    if (isAmong(devices, device)) return { ok: false, code: 'device-known' };
    if (devices.length >= ANCHOR_DEVICES_MAX) return { ok: false, code: 'device-limit' };
    scratch.set(key, encodeDevices([...devices, device]));
    return APPLIED;
  },
};
