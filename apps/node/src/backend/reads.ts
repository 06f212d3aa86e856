import type {
  AccountRecord,
  BlockRecord,
  BlockReference,
  FeeRecord,
  HeightCertificatesRecord,
  Lookup,
  NodeBackend,
  Page,
  PageRequest,
} from '@slipstream/api';
import { accountStateKey, dataStateKey, decodeBalance, FEES_KEY, readFees } from '@slipstream/execution';
import type { LedgerBlock, LedgerReader, LedgerTransaction } from '@slipstream/ledger';
import { assert, to0x } from '@slipstream/primitives';
import type { TransactionSummary } from '@slipstream/schema';
import {
  accountKeyBytes,
  accountKeyText,
  height as asHeight,
  type Block,
  type FeeParameters,
  type GenesisHash,
  type Receipt,
  receiptCodec,
  receiptHeadInBytes,
  type StateDigest,
  stateDigestOf,
  type Transaction,
  type TransactionId,
} from '@slipstream/types';
import type { ReadStateValues } from '../executor/state-reader.ts';
import type { BlockTimes } from './block-times.ts';

export interface ReadComponents {
  readonly ledger: LedgerReader;
  /** Committed state, held by the executor's thread. */
  readonly read: ReadStateValues;
  readonly times: BlockTimes;
  /** The transaction of a committed id, while its chunk is here. */
  readonly transactionOf: (block: Block, id: TransactionId) => Promise<Transaction | undefined>;
  readonly genesisHash: GenesisHash;
  readonly fees: FeeParameters;
}

export type Reads = Pick<
  NodeBackend,
  | 'account'
  | 'accountData'
  | 'accountTransactions'
  | 'block'
  | 'blocks'
  | 'blockTransactions'
  | 'blockOutcomes'
  | 'certificates'
  | 'fees'
  | 'evidence'
  | 'proof'
> & { readonly summaryOf: (found: LedgerTransaction) => Promise<TransactionSummary> };

/** Entries that can be paged through; few exist, because each offender is blocked. */
const EVIDENCE_MAX = 1000;

export function createReads(components: ReadComponents): Reads {
  const { ledger, times, transactionOf, genesisHash, fees } = components;

  async function read(key: Uint8Array) {
    const { height, values } = await components.read([key]);
    return { height: asHeight(height), value: values[0] };
  }

  async function ledgerBlock(reference: BlockReference): Promise<LedgerBlock | undefined> {
    if (reference.type === 'latest') return ledger.block('latest');
    return ledger.block(reference.type === 'height' ? { height: reference.height } : { id: reference.id });
  }

  async function recordOf({ block }: LedgerBlock): Promise<BlockRecord> {
    const preimage = await ledger.preimage(block.height);
    const found = times.of(block.height);
    const record: BlockRecord = { block, status: 'final', transactionCount: preimage?.transactionCount ?? 0 };
    if (!preimage) return record;
    const stateDigest: StateDigest = stateDigestOf(genesisHash, preimage);
    return { ...record, stateDigest, receiptsRoot: preimage.receiptsRoot, ...(found ? { times: found } : {}) };
  }

  /** A height below the earliest retained one: pruned, or never here since the node joined above it. Genesis is always there. */
  async function missing<T>(reference: BlockReference): Promise<Lookup<T>> {
    const tip = await ledger.tip();
    if (reference.type !== 'height' || tip === undefined || reference.height >= tip.earliestHeight) {
      return { type: 'unknown' };
    }
    const detail = `Height ${reference.height} is not kept here: the chain of this node begins at height ${tip.earliestHeight}.`;
    return { type: 'pruned', detail };
  }

  async function summaryOf(found: LedgerTransaction): Promise<TransactionSummary> {
    const block = await ledger.block({ height: found.height });
    return summary(found.receipt, block?.block);
  }

  async function summary(receipt: Receipt, block: Block | undefined): Promise<TransactionSummary> {
    const transaction = block && (await transactionOf(block, receipt.transactionId));
    return {
      id: to0x(receipt.transactionId),
      height: receipt.height,
      index: receipt.index,
      timestampMs: block?.timestampMs ?? 0,
      status: receipt.outcome.status === 'success' ? 'final' : 'failed',
      ...(transaction ? { sender: accountKeyText(transaction.body.sender) } : {}),
      kinds: transaction ? transaction.body.actions.map(({ kind }) => kind) : [],
      fee: receipt.fee.toString(),
    };
  }

  return {
    summaryOf,
    async account(key): Promise<AccountRecord> {
      const { height, value } = await read(accountStateKey(key).bytes);
      return { balance: decodeBalance(value), exists: value !== undefined, height };
    },
    async accountData(key, name) {
      const { height, value } = await read(dataStateKey(key, name).bytes);
      return value ? { type: 'found', value: { value, height } } : { type: 'unknown' };
    },
    async accountTransactions(key, { cursor, limit }) {
      const before = pairOf(cursor);
      const page = await ledger.accountTransactions(accountKeyBytes(key), { limit, ...(before ? { before } : {}) });
      const items: TransactionSummary[] = [];
      for (const found of page.entries) items.push(await summaryOf(found));
      return { items, next: page.next && `${page.next.height}-${page.next.index}` };
    },
    async block(reference): Promise<Lookup<BlockRecord>> {
      const found = await ledgerBlock(reference);
      return found ? { type: 'found', value: await recordOf(found) } : missing(reference);
    },
    async blocks({ cursor, limit }: PageRequest): Promise<Page<BlockRecord>> {
      const page = await ledger.blocks({ limit, ...(cursor === undefined ? {} : { before: placeOf(cursor) }) });
      const items = await Promise.all(page.blocks.map(recordOf));
      return { items, next: page.next?.toString() };
    },
    async blockTransactions(reference, { cursor, limit }) {
      const found = await ledgerBlock(reference);
      if (!found) return missing(reference);
      const from = placeOf(cursor);
      const receipts = (await ledger.receipts(found.block.height)) ?? [];
      const items: TransactionSummary[] = [];
      for (const bytes of receipts.slice(from, from + limit)) {
        const receipt = receiptCodec.decode(bytes);
        if (receipt.ok) items.push(await summary(receipt.value, found.block));
      }
      const next = from + limit < receipts.length ? String(from + limit) : undefined;
      return { type: 'found', value: { items, next } };
    },
    async blockOutcomes(reference) {
      const found = await ledgerBlock(reference);
      if (!found) return missing(reference);
      const { block, blockId } = found;
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
    async fees(): Promise<FeeRecord> {
      const { height, value } = await read(FEES_KEY.bytes);
      const { prices } = readFees(() => value, fees);
      const windowEndsAt = asHeight((Math.floor(height / fees.windowBlocks) + 1) * fees.windowBlocks);
      return { height, prices, windowEndsAt };
    },
    async evidence({ cursor, limit }) {
      const from = placeOf(cursor);
      const items = await ledger.evidence(Math.min(from + limit + 1, EVIDENCE_MAX));
      return {
        items: items.slice(from, from + limit),
        next: items.length > from + limit ? String(from + limit) : undefined,
      };
    },
    async proof(id) {
      const proof = await ledger.inclusionProof(id);
      if (proof) return { type: 'found', value: proof };
      return { type: (await ledger.transaction(id)) ? 'not-ready' : 'unknown' };
    },
  };
}

/** Begin of a page. packages/schema checked the cursor on arrival. */
function placeOf(cursor = '0'): number {
  const place = Number(cursor);
  assert(Number.isSafeInteger(place), 'a cursor of a list is a number');
  return place;
}

function pairOf(cursor: string | undefined): { readonly height: number; readonly index: number } | undefined {
  if (cursor === undefined) return undefined;
  const [height, index] = cursor.split('-');
  return { height: placeOf(height), index: placeOf(index) };
}
