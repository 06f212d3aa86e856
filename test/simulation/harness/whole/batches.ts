/**
 * Distilled batches from broker to outcome, without any of the nodes' predicates.
 *
 *   N7  each row of the broker is charged once, in whichever batches it is, with the outcome that its amount gives; a block's batches and
 *       skips are the same on all nodes; a false aggregate runs nowhere, and a true one is skipped for a reason that holds
 */
import { decodeBatchRecord, type Row } from '@slipstream/distilled';
import type { CommittedBlock } from '@slipstream/pipeline';
import { assert, toHex } from '@slipstream/primitives';
import { FAILURE_CODES, hexOf, type SkipReason } from '@slipstream/types';

export interface SentRow {
  readonly row: Row;
  /** Numbers of accounts. */
  readonly from: number;
  readonly to: number;
  /** More than any account has. */
  readonly isTooLarge: boolean;
}

export interface SentBatch {
  /** Hex. */
  readonly id: string;
  /** SHA-256 of its wire form, hex. */
  readonly key: string;
  readonly expiryMs: number;
  readonly rows: readonly SentRow[];
  /** Positions of stragglers. */
  readonly alone: ReadonlySet<number>;
}

interface RanBatch {
  readonly height: number;
  /** Serialized. */
  readonly record: Uint8Array;
  readonly outcomes: Uint8Array;
}

interface BatchSkip {
  readonly id: string;
  readonly reason: SkipReason;
  readonly height: number;
  readonly timestampMs: number;
}

export interface BatchTable {
  /** Not yet in a batch. */
  made(row: SentRow): void;
  sent(batch: SentBatch): void;
  /** A copy of it, or another batch, whose aggregate is false. */
  forged(id: string): void;
  committed(block: Pick<CommittedBlock, 'block' | 'batches' | 'skipped'>): void;
  /** Of a wire form. */
  isTrue(key: string): boolean;
  /** By id. */
  readonly all: ReadonlyMap<string, SentBatch>;
  readonly ran: ReadonlyMap<string, RanBatch>;
  readonly skips: readonly BatchSkip[];
  /** Not charged in any block. */
  open(): readonly SentRow[];
}

/** Z11: from there on a row is skipped. */
const SKIPPED_FROM = 128;
/** Z10 at prices of 1: sums of the units of a row, and of an ordinary transfer. */
const ROW_FEE = 19n;
const STRAGGLER_FEE = 353n;

export function createBatchTable(violated: (what: string) => void): BatchTable {
  const rows: SentRow[] = [];
  const all = new Map<string, SentBatch>();
  const keys = new Set<string>();
  const forged = new Set<string>();
  const ran = new Map<string, RanBatch>();
  const skips: BatchSkip[] = [];
  const heights = new Map<number, string>();
  const charged = new Set<SentRow>();

  function ranAt(height: number, record: Uint8Array): void {
    const decoded = decodeBatchRecord(record);
    assert(decoded.ok, 'a node reports records of batches');
    const { batchId, outcomes } = decoded.value;
    const id = toHex(batchId);
    const at = `batch ${id.slice(0, 8)} at height ${height}`;
    const batch = all.get(id);
    if (batch === undefined) return violated(`N7: ${at} has no true aggregate`);
    if (ran.has(id)) violated(`N7: ${at} ran before`);
    ran.set(id, { height, record, outcomes });
    for (const [position, row] of batch.rows.entries()) {
      const outcome = outcomes[position] as number;
      if (outcome >= SKIPPED_FROM) continue;
      if (charged.has(row)) violated(`N7: row ${position} of ${at} was charged before`);
      charged.add(row);
      const expected = row.isTooLarge ? FAILURE_CODES['insufficient-balance'] : 0;
      if (outcome !== expected) violated(`N7: row ${position} of ${at} has outcome ${outcome}, not ${expected}`);
    }
  }

  function skipped(skip: BatchSkip): void {
    skips.push(skip);
    const { id, reason, height, timestampMs } = skip;
    const holds =
      (reason === 'bad-signature' && forged.has(id)) ||
      (reason === 'duplicate' && ran.has(id)) ||
      (reason === 'expired' && (all.get(id)?.expiryMs ?? 0) <= timestampMs);
    if (!holds) violated(`N7: batch ${id.slice(0, 8)} at height ${height} is skipped as ${reason}`);
  }

  return {
    made: (row) => void rows.push(row),
    sent(batch) {
      all.set(batch.id, batch);
      keys.add(batch.key);
    },
    forged: (id) => void forged.add(id),
    committed({ block: { height, timestampMs }, batches, skipped: found }) {
      const own = found.map(({ id, reason }) => ({ id: hexOf(id), reason }));
      const made = JSON.stringify([batches.map(toHex), own]);
      const known = heights.get(height);
      if (known !== undefined && known !== made) violated(`N7: other batches or skips at height ${height}`);
      if (known !== undefined) return;
      heights.set(height, made);
      for (const record of batches) ranAt(height, record);
      const ofBatches = own.filter(({ id }) => all.has(id) || forged.has(id));
      for (const skip of ofBatches) skipped({ ...skip, height, timestampMs });
    },
    isTrue: (key) => keys.has(key),
    all,
    ran,
    skips,
    open: () => rows.filter((row) => !charged.has(row)),
  };
}

/** Calls for each charged row; `fee` is what it pays, of which its chunk's producer gets `earned`. */
export function eachCharged(
  { all, ran }: BatchTable,
  charge: (charge: {
    readonly sent: SentRow;
    readonly batch: SentBatch;
    readonly height: number;
    readonly fee: bigint;
    readonly earned: bigint;
  }) => void,
): void {
  for (const [id, { height, outcomes }] of ran) {
    const batch = all.get(id) as SentBatch;
    for (const [position, sent] of batch.rows.entries()) {
      if ((outcomes[position] as number) >= SKIPPED_FROM) continue;
      charge({ sent, batch, height, fee: batch.alone.has(position) ? STRAGGLER_FEE : ROW_FEE, earned: ROW_FEE });
    }
  }
}
