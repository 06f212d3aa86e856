/** Distilled batches without signatures: execution takes their validity as given. */
import {
  type BatchHeader,
  type BlockBatch,
  batchIdOf,
  columnsOf,
  type Row,
  rowsRootOf,
  type Straggler,
} from '@slipstream/distilled';
import type { PeerKey } from '@slipstream/ports';
import type { DistilledParameters, PreparedTransaction } from '@slipstream/types';
import { GENESIS_HASH, NOW_MS, transaction } from './builders.ts';

export const DISTILLED: DistilledParameters = { accountsMax: 100, rowsPerBlock: 1_000, registrationsPerBlock: 100 };
export const BROKER = '7'.repeat(64) as PeerKey;

export const row = (sender: number, recipient: number, amount: number | bigint, sequence = 1): Row => ({
  sender,
  recipient,
  amount: BigInt(amount),
  sequence,
  tag: 0,
});

export interface BatchForm {
  readonly header?: Partial<BatchHeader>;
  readonly stragglers?: readonly Straggler[];
  readonly isValid?: boolean;
}

export function batchOf(
  rows: readonly Row[],
  { header: own, stragglers = [], isValid = true }: BatchForm = {},
): BlockBatch {
  const columns = columnsOf(rows);
  const header: BatchHeader = {
    kind: 'transfer',
    epoch: 0,
    broker: BROKER,
    number: 1,
    knownAt: 1,
    expiryMs: NOW_MS + 30_000,
    feeCap: 10n ** 6n,
    rows: rows.length,
    root: rowsRootOf(columns),
    ...own,
  };
  const batch = { header, rows: columns, stragglers, aggregate: new Uint8Array(96) };
  return { batch, batchId: batchIdOf(GENESIS_HASH, header), isValid };
}

/** Takes the next `count` indices. */
export function registering(from: number, count = 1, maxFee = 10n ** 9n): PreparedTransaction {
  const actions = Array.from({ length: count }, (_, i) => ({
    kind: 'register' as const,
    blsKey: new Uint8Array(96).fill(i + 1),
    proof: new Uint8Array(96),
  }));
  return transaction({ from, actions, maxFee });
}
