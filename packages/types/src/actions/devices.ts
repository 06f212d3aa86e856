/**
 * addDevice and removeDevice: a device grants and revokes the anchor's sessions and changes its devices. The anchor's own key may be
 * removed too, but never the last device.
 */
import { account } from '../forms/description.ts';
import { cost, writesOf } from './costs.ts';
import { defineAction } from './definition.ts';

/** All in one entry of the state. */
export const ANCHOR_DEVICES_MAX = 8;

/** A list of accounts is decoded and encoded. */
const DEVICE_COMPUTE = 10;
/** In its anchor's entry, whose key has 34 bytes. */
const DEVICES_BYTES = 33 * ANCHOR_DEVICES_MAX;
const UNITS = cost(DEVICE_COMPUTE, 1, 34 + DEVICES_BYTES, writesOf(DEVICES_BYTES));

const fields = {
  /** The identity; its own key is its first device. */
  anchor: account,
  device: account,
};

export const addDevice = defineAction({
  kind: 'addDevice',
  tag: 4,
  title: 'AddDevice',
  about: 'Another key may speak for an identity (its anchor).',
  fields,
  units: () => UNITS,
});

export const removeDevice = defineAction({
  kind: 'removeDevice',
  tag: 5,
  title: 'RemoveDevice',
  about: 'A key no longer speaks for an identity; the last one stays.',
  fields,
  units: () => UNITS,
});
