/**
 * addDevice and removeDevice: a device grants and revokes the anchor's sessions and changes its devices. The anchor's own key may be
 * removed too, but never the last device.
 */
import { type Codec, ContainerType, createCodec } from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyText,
  accountKeyToWire,
  accountKeyType,
} from '../../src/account.ts';
import { requireAccount } from '../../src/actions/json.ts';
import { ACTION_BODY_BYTES_MAX } from '../../src/limits.ts';

/** All in one entry of the state. */
export const ANCHOR_DEVICES_MAX = 8;

interface DeviceChange<K extends 'addDevice' | 'removeDevice'> {
  readonly kind: K;
  /** The identity; its own key is its first device. */
  readonly anchor: AccountKey;
  readonly device: AccountKey;
}

export type AddDevice = DeviceChange<'addDevice'>;
export type RemoveDevice = DeviceChange<'removeDevice'>;

interface DeviceChangeJson<K extends 'addDevice' | 'removeDevice'> {
  readonly kind: K;
  readonly anchor: string;
  readonly device: string;
}

export type AddDeviceJson = DeviceChangeJson<'addDevice'>;
export type RemoveDeviceJson = DeviceChangeJson<'removeDevice'>;

interface DeviceWire {
  readonly anchor: AccountKeyWire;
  readonly device: AccountKeyWire;
}

interface DeviceChangeForm<K extends 'addDevice' | 'removeDevice'> {
  readonly codec: Codec<DeviceChange<K>>;
  toJson(action: DeviceChange<K>): DeviceChangeJson<K>;
  /** Throws RangeError with the reason. */
  fromJson(json: DeviceChangeJson<K>): DeviceChange<K>;
}

const type = new ContainerType({ anchor: accountKeyType, device: accountKeyType });

function formOf<K extends 'addDevice' | 'removeDevice'>(kind: K): DeviceChangeForm<K> {
  return {
    codec: createCodec<DeviceChange<K>, DeviceWire>(kind, type, ACTION_BODY_BYTES_MAX, {
      toWire: ({ anchor, device }) => ({ anchor: accountKeyToWire(anchor), device: accountKeyToWire(device) }),
      fromWire: ({ anchor, device }) => ({
        kind,
        anchor: accountKeyFromWire(anchor),
        device: accountKeyFromWire(device),
      }),
    }),
    toJson: ({ anchor, device }) => ({ kind, anchor: accountKeyText(anchor), device: accountKeyText(device) }),
    fromJson: ({ anchor, device }) => ({ kind, anchor: requireAccount(anchor), device: requireAccount(device) }),
  };
}

export const ADD_DEVICE_FORM = formOf('addDevice');
export const REMOVE_DEVICE_FORM = formOf('removeDevice');
