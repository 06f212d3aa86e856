/** addDevice: another key may speak for an anchor: grant and revoke its sessions, add and remove devices. */
import { ContainerType, createCodec } from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyText,
  accountKeyToWire,
  accountKeyType,
} from '../account.ts';
import { ACTION_BODY_BYTES_MAX } from '../limits.ts';
import { requireAccount } from './json.ts';

/** Devices of one anchor: they stand in one entry of the state. */
export const ANCHOR_DEVICES_MAX = 8;

export interface AddDevice {
  readonly kind: 'addDevice';
  /** The identity: an account, which is its own first device. */
  readonly anchor: AccountKey;
  readonly device: AccountKey;
}

interface DeviceWire {
  readonly anchor: AccountKeyWire;
  readonly device: AccountKeyWire;
}

const type = new ContainerType({ anchor: accountKeyType, device: accountKeyType });

export const addDeviceCodec = createCodec<AddDevice, DeviceWire>('addDevice', type, ACTION_BODY_BYTES_MAX, {
  toWire: ({ anchor, device }) => ({ anchor: accountKeyToWire(anchor), device: accountKeyToWire(device) }),
  fromWire: ({ anchor, device }) => ({
    kind: 'addDevice',
    anchor: accountKeyFromWire(anchor),
    device: accountKeyFromWire(device),
  }),
});

export interface AddDeviceJson {
  readonly kind: 'addDevice';
  readonly anchor: string;
  readonly device: string;
}

export function addDeviceToJson({ anchor, device }: AddDevice): AddDeviceJson {
  return { kind: 'addDevice', anchor: accountKeyText(anchor), device: accountKeyText(device) };
}

/** Throws RangeError with the reason. */
export function addDeviceFromJson(json: AddDeviceJson): AddDevice {
  return { kind: 'addDevice', anchor: requireAccount(json.anchor), device: requireAccount(json.device) };
}
