/** Whose a store is: the marks of schema and chain. */
import type { KeyValue } from '@slipstream/ports';
import { bytesEqual, to0x, uint32le } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import { LedgerError } from './errors.ts';
import { metaKey } from './keys.ts';
import { putSealed, type SealedStore } from './sealed-store.ts';

/** Raised with each change that an older release would misread. */
export const LEDGER_SCHEMA = 10;

/**
 * Marks a new store with schema and chain, and compares an old one's marks.
 *
 * The marks are written at each opening, synced: a killed process may have left a visible, unsynced commit, which a power loss could
 * remove after the state store has built upon it (P6).
 */
export async function checkOwner(keyValue: KeyValue, store: SealedStore, genesisHash: GenesisHash): Promise<void> {
  const [first] = await keyValue.range({ from: new Uint8Array([0]), to: new Uint8Array([255]), limit: 1 });
  if (first !== undefined) await checkMarks(keyValue, store, genesisHash);
  const marks = [putSealed(metaKey('schema'), uint32le(LEDGER_SCHEMA)), putSealed(metaKey('genesis'), genesisHash)];
  await keyValue.batch(marks, { sync: true });
}

async function checkMarks(keyValue: KeyValue, store: SealedStore, genesisHash: GenesisHash): Promise<void> {
  const schema = await keyValue.get(metaKey('schema'));
  if (schema === undefined) {
    throw new LedgerError('foreign', 'ledger: the folder holds something else: name another one', {});
  }
  const found = (await store.get(metaKey('schema')))?.[0] ?? 0;
  if (found > LEDGER_SCHEMA) {
    const text = `ledger: written by a newer release (schema ${found}, this one knows ${LEDGER_SCHEMA}): upgrade`;
    throw new LedgerError('newer-version', text, { expected: LEDGER_SCHEMA, found });
  }
  if (found < LEDGER_SCHEMA) {
    const text = `ledger: written by an older release (schema ${found}, this one needs ${LEDGER_SCHEMA}): use a new data folder, and the node fetches the chain from its peers`;
    throw new LedgerError('older-version', text, { expected: LEDGER_SCHEMA, found });
  }
  const chain = await store.get(metaKey('genesis'));
  if (chain === undefined || !bytesEqual(chain, genesisHash)) {
    const data = { expected: to0x(genesisHash), found: chain && to0x(chain) };
    throw new LedgerError('foreign', `ledger: belongs to chain ${data.found}, not ${data.expected}`, data);
  }
}
