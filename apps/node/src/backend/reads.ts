import type { AccountRecord, FeeRecord, NodeBackend } from '@slipstream/api';
import {
  accountStateKey,
  dataStateKey,
  EPOCH_KEY,
  FEES_KEY,
  readEpoch,
  readFees,
  readHead,
} from '@slipstream/execution';
import type { TransactionSummary } from '@slipstream/schema';
import { accountKeyBytes, height as asHeight } from '@slipstream/types';
import { readTogether } from '../executor/fetched-entries.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { type BatchReads, createBatchReads } from './batch-reads.ts';
import { type BlockReadComponents, type BlockReads, createBlockReads } from './block-reads.ts';
import type { RowsOf } from './committed-batches.ts';
import { directoryEntry } from './directory-reads.ts';
import { createBlockFinder } from './find-block.ts';
import { placeOf } from './page-place.ts';
import { accountRecord } from './proven-reads.ts';
import type { RowReads } from './row-reads.ts';
import { summaryOf } from './transaction-summaries.ts';

export interface ReadComponents extends BlockReadComponents {
  readonly rows: Pick<RowReads, 'proof'>;
  readonly rowsOf: RowsOf;
  /** Reads the state, which the executor's thread holds. */
  readonly read: ReadStateValues;
}

export type Reads = BlockReads &
  BatchReads &
  Pick<
    NodeBackend,
    'accounts' | 'directoryEntry' | 'accountData' | 'accountTransactions' | 'fees' | 'evidence' | 'proof'
  >;

/** Pieces of evidence that are served; few exist, because each offender is blocked. */
const EVIDENCE_MAX = 1000;

export function createReads(components: ReadComponents): Reads {
  const { ledger } = components;

  async function read(key: Uint8Array) {
    const { height, values } = await components.read([key]);
    return { height: asHeight(height), value: values[0] };
  }

  return {
    ...createBlockReads(components),
    ...createBatchReads({ ...components, findBlock: createBlockFinder(ledger).find }),
    async accounts(keys): Promise<readonly AccountRecord[]> {
      const { height, values } = await components.read(keys.map((key) => accountStateKey(key).bytes));
      return values.map((value) => accountRecord(value, asHeight(height)));
    },
    directoryEntry: (of) => directoryEntry(components, of),
    async accountData(key, name) {
      const { height, value } = await read(dataStateKey(key, name).bytes);
      return value ? { type: 'found', value: { value, height } } : { type: 'unknown' };
    },
    async accountTransactions(key, { cursor, limit }) {
      const before = pairOf(cursor);
      const page = await ledger.accountTransactions(accountKeyBytes(key), { limit, ...(before ? { before } : {}) });
      const items: TransactionSummary[] = [];
      for (const found of page.entries) items.push(await summaryOf(components, found));
      return { items, next: page.next && `${page.next.height}-${page.next.index}` };
    },
    async fees(): Promise<FeeRecord> {
      const { height, value } = await readTogether(components.read, (entries) => {
        entries.want([EPOCH_KEY, FEES_KEY]);
        const parameters = readHead(entries, readEpoch(entries).number).parameters.fees;
        return { parameters, prices: readFees(() => entries.get(FEES_KEY), parameters).prices };
      });
      const { windowBlocks } = value.parameters;
      const windowEndsAt = asHeight((Math.floor(height / windowBlocks) + 1) * windowBlocks);
      return { height: asHeight(height), ...value, windowEndsAt };
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
      const entry = await ledger.entry(id);
      if (entry?.type === 'row') return components.rows.proof(id, entry.batch);
      return { type: entry ? 'not-ready' : 'unknown' };
    },
  };
}

function pairOf(cursor: string | undefined): { readonly height: number; readonly index: number } | undefined {
  if (cursor === undefined) return undefined;
  const [height, index] = cursor.split('-');
  return { height: placeOf(height), index: placeOf(index) };
}
