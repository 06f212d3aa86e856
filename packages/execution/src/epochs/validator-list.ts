/**
 * The list of all validators, because a state cannot be searched:
 *
 *   's' || "validators"   -> how many
 *   'l' || number u32     -> validator id; numbered from 0 without holes
 *   'l' || validator id   -> its number
 *
 * A candidate that is dropped leaves its place to the last one.
 */
import { assert, ContainerType, createCodec } from '@slipstream/primitives';
import { bytes32, uint32, type ValidatorId } from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import type { Write } from '../write-columns.ts';
import { listedKey, placeKey, VALIDATORS_KEY } from './keys.ts';
import { decodePresent, decodeValue } from './value.ts';

const numberType = new ContainerType({ number: uint32 });
const numberCodec = createCodec<{ readonly number: number }>('number of validators', numberType, numberType.maxSize);
const idType = new ContainerType({ id: bytes32 });
const idCodec = createCodec<{ readonly id: Uint8Array }>('listed validator', idType, idType.maxSize);

/** In no order. */
export function listEntries(ids: readonly ValidatorId[]): readonly Write[] {
  return [
    { key: VALIDATORS_KEY.bytes, value: numberCodec.encode({ number: ids.length }) },
    ...ids.flatMap((id, number) => [
      { key: listedKey(number).bytes, value: idCodec.encode({ id }) },
      { key: placeKey(id).bytes, value: numberCodec.encode({ number }) },
    ]),
  ];
}

export function countValidators(entries: Pick<Entries, 'get'>): number {
  const value = entries.get(VALIDATORS_KEY);
  return value === undefined ? 0 : decodeValue(numberCodec, value).number;
}

/** Throws ExecutionError `state-corrupt`. */
export function validatorAt(entries: Pick<Entries, 'get'>, number: number): ValidatorId {
  return decodePresent(idCodec, entries.get(listedKey(number))).id as ValidatorId;
}

export function listValidator(entries: Entries, id: ValidatorId): void {
  const count = countValidators(entries);
  place(entries, id, count);
  entries.set(VALIDATORS_KEY, numberCodec.encode({ number: count + 1 }));
}

export function unlistValidator(entries: Entries, id: ValidatorId): void {
  const { number } = decodePresent(numberCodec, entries.get(placeKey(id)));
  const last = countValidators(entries) - 1;
  assert(last >= 0, 'only what is listed goes');
  place(entries, validatorAt(entries, last), number);
  entries.set(listedKey(last), undefined);
  entries.set(placeKey(id), undefined);
  entries.set(VALIDATORS_KEY, numberCodec.encode({ number: last }));
}

function place(entries: Entries, id: ValidatorId, number: number): void {
  entries.set(listedKey(number), idCodec.encode({ id }));
  entries.set(placeKey(id), numberCodec.encode({ number }));
}
