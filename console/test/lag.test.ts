import { expect, test } from 'vitest';
import { createLagMeter } from '../src/stream/lag.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_790_000_000_000;

function machine() {
  const clocks = { wallMs: START_MS, upMs: 0, now: () => clocks.wallMs, monotonic: () => clocks.upMs };
  function pass(ms: number): void {
    clocks.wallMs += ms;
    clocks.upMs += ms;
  }
  return { clocks, pass, meter: createLagMeter(clocks) };
}

test('clock drift over three days is not reported as late messages', () => {
  const { clocks, pass, meter } = machine();
  for (let minute = 0; minute < 3 * 1_440; minute++) {
    pass(MINUTE_MS);
    const sentMs = START_MS + clocks.upMs * (1 - 50e-6);
    expect(meter.measure(sentMs).lateMs).toBeLessThan(10);
  }
  expect(meter.measure(START_MS + clocks.upMs * (1 - 50e-6)).skewMs).toBeGreaterThan(12_000);
});

test('a link that is slow for a quarter of an hour is late all the time', () => {
  const { clocks, pass, meter } = machine();
  meter.measure(START_MS);
  pass(6_000);
  for (let second = 0; second < 900; second++) {
    pass(1_000);
    expect(meter.measure(clocks.wallMs - 6_000).lateMs).toBeGreaterThan(5_000);
  }
});

test('a message slightly older than the one before it does not change the offset', () => {
  const { clocks, pass, meter } = machine();
  meter.measure(START_MS);
  pass(5_000);
  expect(meter.measure(clocks.wallMs).lateMs).toBeLessThanOrEqual(5);
  expect(meter.measure(clocks.wallMs - 600).lateMs).toBeGreaterThanOrEqual(600);
});
