import { describe, expect, it } from 'vitest';
import { createIssuerMeter } from '../src/index.ts';

function meterAt() {
  const time = { nowMs: 1_000 };
  const meter = createIssuerMeter(
    { monotonicMs: () => time.nowMs },
    { burst: 10, perSecond: 2, debtMax: 20, issuersMax: 3 },
  );
  return { time, meter };
}

describe('an issuer meter', () => {
  it('allows an issuer checks while it has tokens', () => {
    const { meter } = meterAt();
    meter.failed('a', 9);
    expect([meter.hasTokens('a'), meter.hasTokens('b')]).toEqual([true, true]);
    meter.failed('a', 1);
    expect([meter.hasTokens('a'), meter.hasTokens('b')]).toEqual([false, true]);
  });

  it('refills with time, and forgets issuers whose tokens are full', () => {
    const { meter, time } = meterAt();
    meter.failed('a', 12);
    time.nowMs += 999;
    expect(meter.hasTokens('a')).toBe(false);
    time.nowMs += 2;
    expect(meter.hasTokens('a')).toBe(true);
    time.nowMs += 5_000;
    expect(meter.hasTokens('a')).toBe(true);
    expect(meter.size).toBe(0);
  });

  it('forgets the issuer with the least debt above the maximum', () => {
    const { meter } = meterAt();
    for (const issuer of ['a', 'b', 'a', 'c', 'd']) meter.failed(issuer, 10);
    expect(meter.size).toBe(3);
    expect(['a', 'b', 'c', 'd'].map((issuer) => meter.hasTokens(issuer))).toEqual([false, true, false, false]);
  });

  it('bounds the debt: after any number of bad signatures an issuer is allowed again in a known time', () => {
    const { meter, time } = meterAt();
    for (let i = 0; i < 100; i++) meter.failed('a', 20_000);
    time.nowMs += 10_000;
    expect(meter.hasTokens('a')).toBe(false);
    time.nowMs += 1;
    expect(meter.hasTokens('a')).toBe(true);
  });
});
