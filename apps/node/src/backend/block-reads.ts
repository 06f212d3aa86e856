import type { BlockRecord, HeightCertificatesRecord, Lookup, NodeBackend, Page, PageRequest } from '@slipstream/api';
import type { LedgerBlock, LedgerReader } from '@slipstream/ledger';
import type { TransactionSummary } from '@slipstream/schema';
import { type GenesisHash, receiptCodec, receiptHeadInBytes, type StateDigest, stateDigestOf } from '@slipstream/types';
import type { BlockTimes } from './block-times.ts';
import type { TransactionOf } from './committed-transactions.ts';
import { createBlockFinder } from './find-block.ts';
import { placeOf } from './page-place.ts';
import { summaryIn } from './transaction-summaries.ts';

export interface BlockReadComponents {
  readonly ledger: LedgerReader;
  readonly times: BlockTimes;
  readonly transactionOf: TransactionOf;
  readonly genesisHash: GenesisHash;
}

export type BlockReads = Pick<NodeBackend, 'block' | 'blocks' | 'blockTransactions' | 'blockOutcomes' | 'certificates'>;

export function createBlockReads({ ledger, times, transactionOf, genesisHash }: BlockReadComponents): BlockReads {
  const { find, missing } = createBlockFinder(ledger);

  async function recordOf({ block }: LedgerBlock): Promise<BlockRecord> {
    const preimage = await ledger.preimage(block.height);
    const found = times.of(block.height);
    const record: BlockRecord = { block, status: 'final', transactionCount: preimage?.transactionCount ?? 0 };
    if (!preimage) return record;
    const batchCount = preimage.distilled?.batches;
    const stateDigest: StateDigest = stateDigestOf(genesisHash, preimage);
    return {
      ...record,
      batchCount,
      stateDigest,
      receiptsRoot: preimage.receiptsRoot,
      ...(found ? { times: found } : {}),
    };
  }

  return {
    async block(reference): Promise<Lookup<BlockRecord>> {
      const found = await find(reference);
      return found.type === 'found' ? { type: 'found', value: await recordOf(found.value) } : found;
    },
    async blocks({ cursor, limit }: PageRequest): Promise<Page<BlockRecord>> {
      const page = await ledger.blocks({ limit, ...(cursor === undefined ? {} : { before: placeOf(cursor) }) });
      const items = await Promise.all(page.blocks.map(recordOf));
      return { items, next: page.next?.toString() };
    },
    async blockTransactions(reference, { cursor, limit }) {
      const found = await find(reference);
      if (found.type !== 'found') return found;
      const { block } = found.value;
      const from = placeOf(cursor);
      const receipts = (await ledger.receipts(block.height)) ?? [];
      const items: TransactionSummary[] = [];
      for (const bytes of receipts.slice(from, from + limit)) {
        const receipt = receiptCodec.decode(bytes);
        if (receipt.ok) items.push(await summaryIn(transactionOf, receipt.value, block));
      }
      const next = from + limit < receipts.length ? String(from + limit) : undefined;
      return { type: 'found', value: { items, next } };
    },
    async blockOutcomes(reference) {
      const found = await find(reference);
      if (found.type !== 'found') return found;
      const { block, blockId } = found.value;
      const heads = ((await ledger.receipts(block.height)) ?? []).map(receiptHeadInBytes);
      const idsOf = (success: boolean) => heads.filter((head) => head.success === success).map(({ id }) => id);
      return { type: 'found', value: { height: block.height, blockId, success: idsOf(true), failed: idsOf(false) } };
    },
    async certificates(height): Promise<Lookup<HeightCertificatesRecord>> {
      const block = await ledger.block({ height });
      if (!block) return missing({ type: 'height', height });
      const { finalization, stateCertificate } = await ledger.certificates(height);
      return { type: 'found', value: { blockId: block.blockId, finalization, state: stateCertificate } };
    },
  };
}
