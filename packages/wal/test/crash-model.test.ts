import { bytesEqual } from '@slipstream/primitives';
import { CRASH_MODES, type CrashMode, createLifetime, type Lifetime } from '@slipstream/simulator';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECORD_KIND_BYTES, type RecordKind, type Wal } from '../src/index.ts';
import { append, collect, newDisk, openOn, payloadOf } from './builders.ts';

type Step =
  | { readonly type: 'append'; readonly kind: RecordKind; readonly bytes: number }
  | { readonly type: 'sync' | 'flush' | 'prune' | 'reopen' }
  | { readonly type: 'crash'; readonly mode: CrashMode };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('append' as const),
      kind: fc.constantFrom(...(Object.keys(RECORD_KIND_BYTES) as RecordKind[])),
      bytes: fc.oneof(fc.nat(40), fc.nat(2_000)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('sync' as const, 'flush' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('prune' as const, 'reopen' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('crash' as const), mode: fc.constantFrom(...CRASH_MODES) }) },
);

interface Appended {
  readonly sequence: number;
  readonly kind: RecordKind;
  readonly payload: Uint8Array;
}

/** The appended records, and up to where they must survive. */
interface Model {
  readonly appended: Appended[];
  durable: number;
  /** Lower sequences may no longer be requested. */
  pruned: number;
}

interface Process {
  readonly wal: Wal;
  readonly lifetime: Lifetime;
}

async function reopenAndCompare(disk: ReturnType<typeof newDisk>, model: Model, seed: string): Promise<Process> {
  const lifetime = createLifetime();
  const { wal, records, report } = await openOn(disk.mount(lifetime), { segmentBytesMax: 1_500 }, seed);
  const replayed = await collect(records);
  expect(report.lastSequence).toBeGreaterThanOrEqual(model.durable);
  expect(report.firstSequence).toBeLessThanOrEqual(Math.max(1, model.pruned));
  expect(replayed.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: report.lastSequence - report.firstSequence + 1 }, (_, i) => report.firstSequence + i),
  );
  for (const record of replayed) {
    const known = model.appended[record.sequence - 1];
    expect(record.kind).toBe(known?.kind);
    expect(known !== undefined && bytesEqual(record.payload, known.payload)).toBe(true);
  }
  model.appended.length = report.lastSequence;
  model.durable = report.lastSequence;
  return { wal, lifetime };
}

test('after any appends, syncs, prunes and crashes, a prefix with all synced records is recovered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.string(), async (steps, seed) => {
      const disk = newDisk(seed);
      const model: Model = { appended: [], durable: 0, pruned: 0 };
      let running = await reopenAndCompare(disk, model, seed);
      for (const [i, next] of steps.entries()) {
        const { wal, lifetime } = running;
        switch (next.type) {
          case 'append': {
            const payload = payloadOf(i, next.bytes);
            const sequence = append(wal, next.kind, payload);
            model.appended.push({ sequence, kind: next.kind, payload });
            break;
          }
          case 'sync':
            await wal.sync();
            model.durable = model.appended.length;
            break;
          case 'flush':
            await wal.flush();
            break;
          case 'prune':
            model.pruned = model.durable;
            await wal.prune(model.durable);
            break;
          case 'reopen':
            await wal.close();
            model.durable = model.appended.length;
            running = await reopenAndCompare(disk, model, `${seed}/${i}`);
            break;
          case 'crash':
            lifetime.end();
            disk.crash(next.mode);
            running = await reopenAndCompare(disk, model, `${seed}/${i}`);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('10,000 torn tails: nothing synced is lost, nothing torn is served', async () => {
  for (let seed = 0; seed < 10_000; seed++) {
    const disk = newDisk(seed);
    const { wal } = await openOn(disk.mount(), {}, seed);
    const durable = seed % 5;
    for (let i = 1; i <= durable; i++) append(wal, 'own-notarize', payloadOf(i));
    await wal.sync();
    for (let i = durable + 1; i <= 9; i++) {
      wal.append('chunk', payloadOf(i, (seed * i) % 900));
      if (i % 3 === 0) await wal.flush();
    }
    await wal.flush();
    disk.crash(seed % 2 === 0 ? 'subset' : 'prefix');
    const { records } = await openOn(disk.mount(), {}, seed);
    const replayed = await collect(records);
    expect(replayed.length).toBeGreaterThanOrEqual(durable);
    for (const { sequence, payload } of replayed) {
      const expected = sequence <= durable ? payloadOf(sequence) : payloadOf(sequence, (seed * sequence) % 900);
      expect(bytesEqual(payload, expected)).toBe(true);
    }
  }
});
