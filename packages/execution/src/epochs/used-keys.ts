/** Every BLS and network key that a validator ever had: no key serves two, and none twice. */
import { ContainerType, createCodec } from '@slipstream/primitives';
import { bytes32, uint32, type ValidatorId } from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import { usedKey } from './keys.ts';
import { decodeValue } from './value.ts';

export interface KeyUse {
  readonly validatorId: ValidatorId;
  /** The last epoch whose record held the key; undefined while it is in use, or waits. */
  readonly lastEpoch: number | undefined;
}

/** No epoch has this number. */
const IN_USE = 2 ** 32 - 1;

const useType = new ContainerType({ validatorId: bytes32, lastEpoch: uint32 });
const useCodec = createCodec<KeyUse, { readonly validatorId: Uint8Array; readonly lastEpoch: number }>(
  'key use',
  useType,
  useType.maxSize,
  {
    toWire: ({ validatorId, lastEpoch }) => ({ validatorId, lastEpoch: lastEpoch ?? IN_USE }),
    fromWire: ({ validatorId, lastEpoch }) => ({
      validatorId: validatorId as ValidatorId,
      lastEpoch: lastEpoch === IN_USE ? undefined : lastEpoch,
    }),
  },
);

export const encodeKeyUse = (use: KeyUse): Uint8Array => useCodec.encode(use);

export function readKeyUse(entries: Pick<Entries, 'get'>, key: Uint8Array): KeyUse | undefined {
  const value = entries.get(usedKey(key));
  return value && decodeValue(useCodec, value);
}

export function writeKeyUse(entries: Entries, key: Uint8Array, use: KeyUse | undefined): void {
  entries.set(usedKey(key), use && encodeKeyUse(use));
}
