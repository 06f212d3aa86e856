import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CheckFailure, createLifetime, createRandom, createSimulation, EPOCH_MS } from '../src/index.ts';

describe('virtual time', () => {
  test('events happen in the order of their times, and of their scheduling at one time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { maxLength: 200 }), async (delays) => {
        const simulation = createSimulation({ seed: 1 });
        const happened: { readonly atMs: number; readonly index: number }[] = [];
        for (const [index, delay] of delays.entries()) {
          simulation.schedule(delay, () => happened.push({ atMs: simulation.nowMs, index }));
        }
        expect((await simulation.run()).reason).toBe('idle');
        const sorted = delays
          .map((atMs, index) => ({ atMs, index }))
          .sort((a, b) => a.atMs - b.atMs || a.index - b.index);
        expect(happened).toEqual(sorted);
      }),
      { numRuns: 50 },
    );
  });

  test('promises settle as far as they can between two events', async () => {
    const simulation = createSimulation({ seed: 1 });
    const log: string[] = [];
    simulation.schedule(1, () => {
      void (async () => {
        for (let i = 0; i < 1_000; i++) await Promise.resolve();
        log.push('a thousand awaits later');
      })();
    });
    simulation.schedule(1, () => log.push('next event'));
    await simulation.run();
    expect(log).toEqual(['a thousand awaits later', 'next event']);
  });

  test('a run stops at a time, at a condition, after some steps, or when nothing is left', async () => {
    const simulation = createSimulation({ seed: 1 });
    let ticks = 0;
    const tick = () => {
      ticks++;
      simulation.schedule(10, tick);
    };
    simulation.schedule(10, tick);
    expect(await simulation.run({ untilMs: 55 })).toMatchObject({ reason: 'time', nowMs: 55, steps: 5 });
    expect(await simulation.run({ until: () => ticks === 8 })).toMatchObject({ reason: 'condition', nowMs: 80 });
    expect(await simulation.run({ stepsMax: 2 })).toMatchObject({ reason: 'steps', nowMs: 100 });
    expect(await createSimulation({ seed: 1 }).run({ untilMs: 9 })).toMatchObject({ reason: 'idle', nowMs: 9 });
  });

  test('clocks show virtual time; timers can be cancelled and die with their process', async () => {
    const simulation = createSimulation({ seed: 1 });
    const lifetime = createLifetime();
    const clock = simulation.clock({ node: 'a', lifetime, skewMs: () => 500 });
    const fired: number[] = [];
    clock.after(5, () => fired.push(clock.monotonicMs()));
    clock.after(6, () => fired.push(-1))();
    clock.after(20, () => fired.push(-2));
    simulation.schedule(10, () => lifetime.end());
    await simulation.run();
    expect(fired).toEqual([5]);
    expect(clock.wallMs()).toBe(EPOCH_MS + 500 + simulation.nowMs);
    clock.after(1, () => fired.push(-3));
    await simulation.run();
    expect(fired).toEqual([5]);
  });
});

describe('chance', () => {
  test('one seed and purpose give one stream, others give others', () => {
    const draw = (seed: string, purpose: string) => createRandom(seed).fork(purpose).bytes(16);
    expect(draw('a', 'x')).toEqual(draw('a', 'x'));
    expect(draw('a', 'x')).not.toEqual(draw('a', 'y'));
    expect(draw('a', 'x')).not.toEqual(draw('b', 'x'));
  });

  test('is even, within its bounds', () => {
    const random = createRandom(1);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 100_000; i++) {
      const value = random.below(10);
      counts[value] = (counts[value] as number) + 1;
      const unit = random.unit();
      expect(unit >= 0 && unit < 1).toBe(true);
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
    expect(() => random.below(0)).toThrow(RangeError);
  });
});

describe('checkers', () => {
  test('end the run with seed, time and rule, even when the emitting code swallows errors', async () => {
    const simulation = createSimulation({ seed: 'abc' });
    simulation.addChecker('no bad notes', (event, { check }) => {
      check(event.type !== 'note' || event.text !== 'bad', 'a note is never bad', { text: 'bad' });
    });
    for (const text of ['good', 'bad', 'later']) {
      simulation.schedule(text === 'later' ? 9 : 7, () => {
        try {
          simulation.emit({ type: 'note', node: 'a', name: 'said', text });
        } catch {}
      });
    }
    const failure = await simulation.run().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CheckFailure);
    expect(failure).toMatchObject({ code: 'check-failed', data: { seed: 'abc', nowMs: 7, text: 'bad' } });
    expect(String(failure)).toContain('no bad notes: a note is never bad (seed abc, at 7.000 ms');
  });

  test('an event that throws ends the run too', async () => {
    const simulation = createSimulation({ seed: 1 });
    simulation.schedule(3, () => {
      throw new Error('oops');
    });
    await expect(simulation.run()).rejects.toMatchObject({ code: 'event-threw', data: { nowMs: 3 } });
  });
});
