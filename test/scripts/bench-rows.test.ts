/** Rows of a bench in columns: what goes to a broker is what the SDK would send, and what is signed is what the SDK would sign. */
import { type BatchHeader, columnsOf, rowsRootOf } from '@slipstream/distilled';
import { decodeClientMessage } from '@slipstream/distilled/stream';
import { type PeerKey, toHex } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import { checkColumns, NOT_PENDING, ownPlaces } from '../../scripts/bench/throughput-distilled/column-shares.ts';
import type { Registered } from '../../scripts/bench/throughput-distilled/registered.ts';
import { rowsMessage } from '../../scripts/bench/throughput-distilled/rows-message.ts';
import {
  createRunRows,
  endRow,
  expiryMsOf,
  FEE_CAP,
  pendingNumber,
  type RunRows,
  rowOf,
  sequenceOf,
  successes,
} from '../../scripts/bench/throughput-distilled/run-rows.ts';

const ACCOUNTS = [3, 5, 6, 9].map((index) => ({ index }) as Registered);
const PLAN = { rowsPerSecond: 10, seconds: 1, startMs: 1_790_000_000_123 };

function runOf(): { readonly run: RunRows; readonly sequences: Uint32Array } {
  const sequences = Uint32Array.of(1, 1, 7, 1);
  const signatures = Uint8Array.from({ length: 64 * 10 }, (_, i) => i % 251);
  return { run: createRunRows(ACCOUNTS, sequences, PLAN, signatures), sequences };
}

describe('rows of a run', () => {
  it('use each sequence of an account once, and the next run goes on behind them', () => {
    const { run, sequences } = runOf();
    expect(Array.from({ length: 10 }, (_, number) => sequenceOf(run, number))).toEqual([1, 1, 7, 1, 2, 2, 8, 2, 3, 3]);
    expect([...sequences]).toEqual([4, 4, 9, 3]);
  });

  it('are found by account and sequence until they end', () => {
    const { run } = runOf();
    expect([pendingNumber(run, 2, 8), pendingNumber(run, 2, 9), pendingNumber(run, 2, 6)]).toEqual([
      ...[6, undefined, undefined],
    ]);
    endRow(run, 6, 'success');
    expect([pendingNumber(run, 2, 8), [...successes(run)]]).toEqual([undefined, [6]]);
  });

  it('are a message as the SDK’s: rows in order, limits, straggler signatures', () => {
    const { run } = runOf();
    const numbers = [0, 4, 8, 1, 6];
    const decoded = decodeClientMessage(rowsMessage(run, numbers, 77).slice());
    if (!decoded.ok || decoded.value.name !== 'rows') throw new Error('no rows message');
    const { number, expiryMs, feeCap, rows, stragglers } = decoded.value.value;
    expect({ number, expiryMs, feeCap }).toEqual({ number: 77, expiryMs: expiryMsOf(PLAN, 0), feeCap: FEE_CAP });
    expect(rows).toEqual(columnsOf(numbers.map((each) => rowOf(run, each))));
    expect(stragglers).toEqual(
      numbers.map((each, position) => ({
        position,
        expiryMs: expiryMsOf(PLAN, each),
        feeCap: FEE_CAP,
        signature: run.signatures.slice(64 * each, 64 * (each + 1)),
      })),
    );
  });
});

describe('a share of a header with columns', () => {
  const own = ownPlaces([0, 2], (place) => (ACCOUNTS[place] as Registered).index);
  const headerOf = (rows: ReturnType<typeof columnsOf>, changes: Partial<BatchHeader> = {}): BatchHeader => ({
    kind: 'transfer',
    epoch: 0,
    broker: toHex(new Uint8Array(32)) as PeerKey,
    number: 1,
    knownAt: 0,
    expiryMs: PLAN.startMs + 30_000,
    feeCap: 10n,
    rows: rows.count,
    root: rowsRootOf(rows),
    ...changes,
  });

  it('stands for the own senders, whose rows are as they were sent', () => {
    const { run } = runOf();
    const rows = columnsOf([0, 4, 1, 2, 3].map((number) => rowOf(run, number)));
    const { numbers, positions, signers, without } = checkColumns(
      { header: headerOf(rows), shareWithinMs: 1, rows },
      own,
      run,
    );
    expect({ numbers: [...numbers], positions: [...positions], signers, without }).toEqual({
      ...{ numbers: [0, 4, 2], positions: [0, 1, 3], signers: [3, 6], without: [] },
    });
  });

  it('stands for no sender with a row that ended, or beyond its limits', () => {
    const { run } = runOf();
    endRow(run, 4, 'success');
    const rows = columnsOf([0, 4, 2].map((number) => rowOf(run, number)));
    const shown = (changes: Partial<BatchHeader>) => ({ header: headerOf(rows, changes), shareWithinMs: 1, rows });
    const { numbers, signers, without } = checkColumns(shown({}), own, run);
    expect({ numbers: [...numbers], signers, without }).toEqual({
      ...{ numbers: [0, NOT_PENDING, 2], signers: [6], without: [3] },
    });
    expect(checkColumns(shown({ expiryMs: expiryMsOf(PLAN, 2) + 1 }), own, run).signers).toEqual([]);
    expect(checkColumns(shown({ feeCap: FEE_CAP + 1n }), own, run).signers).toEqual([]);
  });

  it('is refused to a broker that shows a false root, or another row', () => {
    const { run } = runOf();
    const rows = columnsOf([rowOf(run, 0), rowOf(run, 2)]);
    const other = columnsOf([{ ...rowOf(run, 0), amount: 9n }, rowOf(run, 2)]);
    expect(() => checkColumns({ header: headerOf(rows), shareWithinMs: 1, rows: other }, own, run)).toThrow('root');
    expect(() => checkColumns({ header: headerOf(other), shareWithinMs: 1, rows: other }, own, run)).toThrow('row 0');
  });
});
