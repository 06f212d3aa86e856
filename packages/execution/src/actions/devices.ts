/** addDevice and removeDevice: fail with `not-a-device`, or with the codes below. */
import { bytesEqual } from '@slipstream/primitives';
import {
  type AccountKey,
  type AddDevice,
  ANCHOR_DEVICES_MAX,
  type FailureCode,
  type RemoveDevice,
} from '@slipstream/types';
import { decodeDevices, devicesStateKey, encodeDevices, isAmong } from '../sessions/devices.ts';
import type { StateKey } from '../state-keys.ts';
import { type ActionRule, APPLIED } from './rule.ts';

type Changed = readonly AccountKey[] | FailureCode;

function changeRule<A extends AddDevice | RemoveDevice>(
  change: (devices: readonly AccountKey[], device: AccountKey) => Changed,
): ActionRule<A> {
  return {
    keys: (_, { anchor }) => [devicesStateKey(anchor)],
    apply(scratch, { anchor, device }, keys, { sender }) {
      const key = keys[0] as StateKey;
      const devices = decodeDevices(scratch.get(key), anchor);
      if (!isAmong(devices, sender)) return { ok: false, code: 'not-a-device' };
      const changed = change(devices, device);
      if (typeof changed === 'string') return { ok: false, code: changed };
      scratch.set(key, encodeDevices(changed));
      return APPLIED;
    },
  };
}

/** Also fails with `device-known` or `device-limit`. */
export const addDeviceRule = changeRule<AddDevice>((devices, device) => {
  if (isAmong(devices, device)) return 'device-known';
  return devices.length >= ANCHOR_DEVICES_MAX ? 'device-limit' : [...devices, device];
});

/** Also fails with `device-unknown` or `last-device`. Sessions that the device granted remain. */
export const removeDeviceRule = changeRule<RemoveDevice>((devices, device) => {
  if (!isAmong(devices, device)) return 'device-unknown';
  if (devices.length === 1) return 'last-device';
  return devices.filter(({ scheme, bytes }) => scheme !== device.scheme || !bytesEqual(bytes, device.bytes));
});
