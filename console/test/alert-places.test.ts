import { expect, test } from 'vitest';
import { ALERT_RULES } from '../../apps/node/src/telemetry/alert-rules.ts';
import { placeOf } from '../src/node/alert-places.ts';

test.each(ALERT_RULES.map(({ name }) => name))('the rule %s has a place', (name) => {
  expect(placeOf(name)).toBeDefined();
});

test.each(['no-finality', 'validator-offline'])('%s leads to Peers, as its remedy does', (name) => {
  expect(placeOf(name)).toBe('peers');
});
