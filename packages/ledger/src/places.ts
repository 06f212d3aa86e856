/** The index of the files of bodies, in the ledger's store: a place becomes durable with the commit of its block. */
import type { KeyValue, KeyValueOperation } from '@slipstream/ports';
import { keyOf } from './keys.ts';
import { createSealedStore, putSealed } from './sealed-store.ts';

/** Its close leaves the store open. */
export function createPlaces(keyValue: KeyValue): KeyValue {
  const store = createSealedStore(keyValue);
  return {
    get: (key) => store.get(placeKey(key)),
    getMany: (keys) => store.getMany(keys.map(placeKey)),
    batch: (operations, options) => keyValue.batch(operations.map(inTable), options),
    async range({ from, to, limit, reverse = false }) {
      const entries = await store.range({ from: placeKey(from), to: placeKey(to), limit, reverse });
      return entries.map(({ key, value }) => ({ key: key.subarray(1), value }));
    },
    close: async () => {},
  };
}

export function placeKey(key: Uint8Array): Uint8Array {
  return keyOf('place', key);
}

function inTable(operation: KeyValueOperation): KeyValueOperation {
  const key = placeKey(operation.key);
  return operation.type === 'put' ? putSealed(key, operation.value) : { type: 'delete', key };
}
