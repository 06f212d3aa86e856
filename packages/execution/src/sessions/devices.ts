/**
 * Devices of an anchor, under 'i' || anchor: account keys, 33 bytes each. Without an entry the anchor is its only device. Its own key may
 * be removed while another device remains.
 */
import { bytesEqual, concatBytes } from '@slipstream/primitives';
import { type AccountKey, ANCHOR_DEVICES_MAX, accountKeyBytes, accountKeyFromWire } from '@slipstream/types';
import { ExecutionError } from '../errors.ts';
import type { Entries } from '../overlay.ts';
import { type ReadState, type StateKey, stateKey } from '../state-keys.ts';

const IDENTITY = 0x69;
const DEVICE_BYTES = 33;

export function devicesStateKey(anchor: AccountKey): StateKey {
  return stateKey(concatBytes(new Uint8Array([IDENTITY]), accountKeyBytes(anchor)));
}

/** Never empty. Throws ExecutionError `state-corrupt`. */
export function decodeDevices(value: Uint8Array | undefined, anchor: AccountKey): readonly AccountKey[] {
  if (value === undefined) return [anchor];
  const count = value.length / DEVICE_BYTES;
  if (!Number.isInteger(count) || count < 1 || count > ANCHOR_DEVICES_MAX) {
    throw new ExecutionError('state-corrupt', `a list of devices has ${value.length} bytes`, {});
  }
  return Array.from({ length: count }, (_, i) => {
    const device = value.subarray(i * DEVICE_BYTES, (i + 1) * DEVICE_BYTES);
    return accountKeyFromWire({ scheme: device[0] as number, bytes: device.subarray(1) });
  });
}

export function encodeDevices(devices: readonly AccountKey[]): Uint8Array {
  return concatBytes(...devices.map(accountKeyBytes));
}

export function isAmong(devices: readonly AccountKey[], key: AccountKey): boolean {
  return devices.some(({ scheme, bytes }) => scheme === key.scheme && bytesEqual(bytes, key.bytes));
}

/** Whether the sender may act for the anchor. */
export function speaksFor(scratch: Entries, sender: AccountKey, anchor: AccountKey, key: StateKey): boolean {
  return isAmong(decodeDevices(scratch.get(key), anchor), sender);
}

/** For the API. */
export function readDevices(read: ReadState, anchor: AccountKey): readonly AccountKey[] {
  return decodeDevices(read(devicesStateKey(anchor).bytes), anchor);
}
