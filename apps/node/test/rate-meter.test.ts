import { describe, expect, it } from 'vitest';
import { createRateMeter } from '../src/telemetry/stats.ts';

const certified = (producer: number, sinceCreatedMs: number) => ({ producer, transactions: 1, sinceCreatedMs });

describe('times to a certificate', () => {
  it('are of its own chunks on a validator, though it counts all', () => {
    const meter = createRateMeter(
      () => 0,
      () => 2,
    );
    meter.listen('chunk.certified', certified(2, 10));
    meter.listen('chunk.certified', certified(0, 600));
    meter.listen('chunk.certified', certified(1, 700));
    expect(meter.read()).toMatchObject({ certifiedChunks: 3, certificationMs: { p50: 10, p99: 10 } });
  });

  it('are of all chunks on a full node', () => {
    const meter = createRateMeter(() => 0);
    meter.listen('chunk.certified', certified(2, 10));
    meter.listen('chunk.certified', certified(0, 600));
    expect(meter.read()).toMatchObject({ certifiedChunks: 2, certificationMs: { p99: 600 } });
  });
});

describe('views that this validator led', () => {
  it('are counted apart, without those nullified while it was offline', () => {
    const meter = createRateMeter(
      () => 0,
      () => 2,
    );
    meter.listen('view.nullified', { view: 2, leader: 2 });
    meter.listen('view.entered', { view: 6, leader: 2 });
    meter.listen('view.nullified', { view: 6, leader: 2 });
    meter.listen('view.nullified', { view: 7, leader: 3 });
    meter.listen('block.final', { view: 10, proposer: 2, sinceArrivalMs: 5 });
    meter.listen('block.final', { view: 11, proposer: 3, sinceArrivalMs: 5 });
    expect(meter.read()).toMatchObject({ nullifiedViews: 3, endedViews: 5, ownNullifiedViews: 1, ownEndedViews: 2 });
  });

  it('are none on a full node', () => {
    const meter = createRateMeter(() => 0);
    meter.listen('view.entered', { view: 6 });
    meter.listen('view.nullified', { view: 6 });
    expect(meter.read()).toMatchObject({ ownNullifiedViews: 0, ownEndedViews: 0 });
  });
});

describe('rates of the last ten seconds', () => {
  it('count transactions and rows of batches apart', () => {
    const meter = createRateMeter(() => 0);
    meter.listen('block.committed', { transactions: 5, rows: 40 });
    meter.listen('block.committed', { transactions: 0, rows: 10 });
    const rates = { blocksPerSecond: 0.2, transactionsPerSecond: 0.5, rowsPerSecond: 5 };
    expect(meter.read()).toMatchObject({ ...rates, executedRows: 50 });
  });
});
