/** removeDevice: a key no longer speaks for an anchor; the anchor's own may be removed too, the last one never. */
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

export interface RemoveDevice {
  readonly kind: 'removeDevice';
  /** The identity: an account, which is its own first device. */
  readonly anchor: AccountKey;
  readonly device: AccountKey;
}

interface DeviceWire {
  readonly anchor: AccountKeyWire;
  readonly device: AccountKeyWire;
}

const type = new ContainerType({ anchor: accountKeyType, device: accountKeyType });

export const removeDeviceCodec = createCodec<RemoveDevice, DeviceWire>('removeDevice', type, ACTION_BODY_BYTES_MAX, {
  toWire: ({ anchor, device }) => ({ anchor: accountKeyToWire(anchor), device: accountKeyToWire(device) }),
  fromWire: ({ anchor, device }) => ({
    kind: 'removeDevice',
    anchor: accountKeyFromWire(anchor),
    device: accountKeyFromWire(device),
  }),
});

export interface RemoveDeviceJson {
  readonly kind: 'removeDevice';
  readonly anchor: string;
  readonly device: string;
}

export function removeDeviceToJson({ anchor, device }: RemoveDevice): RemoveDeviceJson {
  return { kind: 'removeDevice', anchor: accountKeyText(anchor), device: accountKeyText(device) };
}

/** Throws RangeError with the reason. */
export function removeDeviceFromJson(json: RemoveDeviceJson): RemoveDevice {
  return { kind: 'removeDevice', anchor: requireAccount(json.anchor), device: requireAccount(json.device) };
}
