/** Rows of a run, made and signed before it: each account pays another one, in turns, so that no sender has many in flight. */

import type { ClientError } from '@slipstream/client';
import type { TransferResult } from '@slipstream/client/distillery';
import { ed25519Sign } from '@slipstream/crypto/native';
import { type Row, stragglerMessage } from '@slipstream/distilled';
import type { GenesisHash } from '@slipstream/types';
import type { PendingRow } from '../../../packages/client/src/distillery/pending-rows.ts';
import type { Registered } from './registered.ts';

export type RowEnd = 'success' | 'failed' | 'row-refused' | 'row-skipped' | 'row-expired' | 'none';

export interface RunRow {
  readonly pending: PendingRow;
  /** Place of its sender among the accounts. */
  readonly account: number;
  /** From the start of the run. */
  readonly dueMs: number;
  end: RowEnd;
  endMs: number;
  rowId: string;
}

interface RunPlan {
  readonly rowsPerSecond: number;
  readonly seconds: number;
  readonly startMs: number;
}

const FEE_CAP = 10n ** 9n;
/** Blocks skip a straggler above 60 s. */
const LIFE_MS = 50_000;
const EXPIRY_STEP_MS = 250;

/** `sequences`: next of each account; raised. */
export function prepareRows(
  accounts: readonly Registered[],
  sequences: Uint32Array,
  genesisHash: GenesisHash,
  { rowsPerSecond, seconds, startMs }: RunPlan,
): readonly RunRow[] {
  return Array.from({ length: rowsPerSecond * seconds }, (_, i): RunRow => {
    const account = i % accounts.length;
    const sender = accounts[account] as Registered;
    const recipient = accounts[(account * 7 + i + 1) % accounts.length] as Registered;
    const sequence = sequences[account] as number;
    sequences[account] = sequence + 1;
    const dueMs = (i * 1_000) / rowsPerSecond;
    const endMs = Math.floor(startMs + dueMs + LIFE_MS);
    const row: Row = {
      sender: sender.index,
      recipient: recipient.index,
      amount: BigInt(1 + (i % 5)),
      sequence,
      tag: 0,
    };
    const made: RunRow = {
      account,
      dueMs,
      end: 'none',
      endMs: 0,
      rowId: '',
      pending: pendingOf(row, endMs - (endMs % EXPIRY_STEP_MS), sender, genesisHash, (end) => settle(made, end)),
    };
    return made;
  });
}

function settle(made: RunRow, end: TransferResult | ClientError): void {
  made.endMs = Date.now();
  if ('status' in end) {
    made.end = end.status;
    made.rowId = end.rowId;
  } else made.end = end.code as RowEnd;
}

function pendingOf(
  row: Row,
  expiryMs: number,
  { account }: Registered,
  genesisHash: GenesisHash,
  onEnd: PendingRow['settle'],
): PendingRow {
  const message = stragglerMessage(genesisHash, row, { expiryMs, feeCap: FEE_CAP });
  return {
    row,
    expiryMs,
    feeCap: FEE_CAP,
    straggler: { expiryMs, feeCap: FEE_CAP, signature: ed25519Sign(message, account.secret) },
    settle: onEnd,
    sentAtMs: undefined,
    retryAtMs: 0,
    mayRun: false,
    isProving: false,
    lastReason: undefined,
    seen: [],
  };
}
