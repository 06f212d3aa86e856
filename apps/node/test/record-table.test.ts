import { type Block, type EpochRecord, epoch } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createRecordTable } from '../src/executor/record-table.ts';

const record = (of: number) => ({ epoch: epoch(of) }) as EpochRecord;
const block = (of: number, next?: Uint8Array) => ({ epoch: epoch(of), next }) as Block;
const LAST = new Uint8Array(32).fill(1);

describe('the table of records', () => {
  it('enters an epoch with the last block of the one before, and takes each seal once', () => {
    const table = createRecordTable();
    table.opened({ records: [record(3), record(4)], epoch: epoch(4) });
    table.sealed(record(5));
    table.sealed(record(5));
    expect(table.all()).toEqual([record(3), record(4), record(5)]);
    table.committed(block(4));
    expect(table.current()).toEqual(record(4));
    table.committed(block(4, LAST));
    expect(table.current()).toEqual(record(5));
  });

  it('stays in its epoch while blocks of an earlier one are committed again', () => {
    const table = createRecordTable();
    table.opened({ records: [record(3), record(4)], epoch: epoch(4) });
    table.committed(block(3));
    table.committed(block(3, LAST));
    expect(table.current()).toEqual(record(4));
  });

  it('finds records by epoch, and forgets the oldest beyond 128', () => {
    const table = createRecordTable();
    table.opened({ records: [record(3)], epoch: epoch(3) });
    expect([2, 3, 4].map((of) => table.of(of)?.epoch)).toEqual([undefined, 3, undefined]);
    for (let of = 4; of <= 140; of++) table.sealed(record(of));
    expect(table.all()).toHaveLength(128);
    expect([12, 13, 140, 141].map((of) => table.of(of)?.epoch)).toEqual([undefined, 13, 140, undefined]);
  });

  it('refuses to enter an epoch without its record', () => {
    const table = createRecordTable();
    table.opened({ records: [record(0)], epoch: epoch(0) });
    expect(() => table.committed(block(0, LAST))).toThrow('known before its first block');
  });
});
