/** Pruning: takes the oldest committed blocks off, one batch a block, so that a crash in between leaves whole blocks. */
import type { KeyValueOperation } from '@slipstream/ports';
import { type BlockId, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import { blockAt, type LedgerBlock, receiptsOf } from './chain-reads.ts';
import { accountEntryKey, keyOf, uint64be } from './keys.ts';
import { unpackList } from './packed-list.ts';
import { type LedgerTip, transactionIdOfReceipt } from './records.ts';
import type { SealedStore } from './sealed-store.ts';
import { bodyRemovals } from './write-operations.ts';

/** Certificates of views that one step removes: nullified views leave several a height. */
const VIEW_ENTRIES_MAX = 1024;

/**
 * What removes the block at `height`, or undefined when it must stay: replay protection reads the blocks of the last
 * TRANSACTION_LIFE_MS_MAX of block time at a start, and genesis always stays.
 */
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
  const keys = [
    keyOf('height', at),
    keyOf('preimage', at),
    keyOf('stateCertificate', at),
    keyOf('finalization', at),
    ...(await indexKeys(store, found)),
    ...(await viewKeys(store, found)),
  ];
  return [...keys.map((key) => ({ type: 'delete' as const, key })), ...bodyRemovals(found.blockId)];
}

async function indexKeys(store: SealedStore, { block, blockId }: LedgerBlock): Promise<readonly Uint8Array[]> {
  const receipts = (await receiptsOf(store, blockId)) ?? [];
  const accounts = await accountsOf(store, blockId);
  return receipts.flatMap((receipt, index) => [
    keyOf('transaction', transactionIdOfReceipt(receipt)),
    ...(accounts[index] ?? []).map((account) => accountEntryKey(account, block.height, index)),
  ]);
}

async function accountsOf(store: SealedStore, blockId: BlockId): Promise<readonly (readonly Uint8Array[])[]> {
  const packed = await store.get(keyOf('accounts', blockId));
  return packed ? unpackList(packed).map(unpackList) : [];
}

function viewKeys(store: SealedStore, { block }: LedgerBlock): Promise<readonly Uint8Array[]> {
  const to = keyOf('view', uint64be(block.view + 1));
  return store.keys({ from: keyOf('view'), to, limit: VIEW_ENTRIES_MAX });
}
