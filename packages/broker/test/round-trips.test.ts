import { expect, it } from 'vitest';
import type { Session } from '../src/components.ts';
import { createRoundTrips } from '../src/round-trips.ts';

const createSession = () => ({ address: 'here' }) as Session;

it('a far client is waited for, however often near ones share (Q6)', () => {
  const roundTrips = createRoundTrips();
  const [near, far] = [createSession(), createSession()];
  roundTrips.record(far, 180);
  for (let i = 0; i < 1_000; i++) roundTrips.record(near, 2);
  expect(roundTrips.shareWaitMs()).toBe(380);
});

it('many near clients do not bring the wait below 200 ms (Q6)', () => {
  const roundTrips = createRoundTrips();
  for (let i = 0; i < 1_000; i++) roundTrips.record(createSession(), 2);
  expect(roundTrips.shareWaitMs()).toBe(200);
});
