/** Pruning removes the oldest blocks, one batch each, so that a crash leaves whole blocks. Epochs stay. */
import type { KeyValueOperation } from '@slipstream/ports';
import { TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import { pruneIndex } from './block-index.ts';
import { blockAt } from './chain-reads.ts';
import { keyOf, uint32be, uint64be } from './keys.ts';
import type { LedgerTip } from './records.ts';
import type { SealedStore } from './sealed-store.ts';
import { forgetOperations } from './write-operations.ts';

/** Certificates by view that one step removes: nullified views leave several per height. */
const VIEW_ENTRIES_MAX = 1024;

/** Undefined when the block must stay: genesis, and the last TRANSACTION_LIFE_MS_MAX of block time, for replay protection at a start. */
export async function pruneOperations(
  store: SealedStore,
  tip: LedgerTip,
  height: number,
): Promise<readonly KeyValueOperation[] | undefined> {
  if (height <= 0 || height >= tip.height) return undefined;
  const found = await blockAt(store, height);
  if (found === undefined) return [];
  if (found.block.timestampMs >= tip.timestampMs - TRANSACTION_LIFE_MS_MAX) return undefined;
  const at = uint64be(height);
  const views = await store.unsealed({
    from: keyOf('view'),
    to: keyOf('view', uint32be(found.block.epoch), uint64be(found.block.view + 1)),
    limit: VIEW_ENTRIES_MAX,
  });
  const keys = [
    keyOf('height', at),
    keyOf('preimage', at),
    keyOf('stateCertificate', at),
    keyOf('finalization', at),
    ...views.map(({ key }) => key),
  ];
  return [
    ...keys.map((key) => ({ type: 'delete' as const, key })),
    ...forgetOperations(found.blockId),
    ...pruneIndex(height),
  ];
}
