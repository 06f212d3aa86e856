import { describe, expect, it } from 'vitest';
import { createRateMeter } from '../src/telemetry/stats.ts';

const certified = (producer: number, sinceCreatedMs: number) => ({ producer, transactions: 1, sinceCreatedMs });

describe('times to a certificate', () => {
  it('are of its own chunks on a validator, though it counts all', () => {
    const meter = createRateMeter(() => 0, 2);
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
