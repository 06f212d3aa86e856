import type { PeerKey } from '@slipstream/ports';
import { expect, test } from 'vitest';
import { createPieceRates } from '../../src/state-sync/piece-rates.ts';
import { HONEST, OTHER } from './served-snapshot.ts';

const WINDOW_MS = 10_000;

function opened() {
  const held = new Map<PeerKey, number>();
  let nowMs = 0;
  const rates = createPieceRates({ monotonicMs: () => nowMs }, (peer) => held.get(peer) ?? 0);
  function bring(peer: PeerKey, pieces: number): void {
    for (let piece = 0; piece < pieces; piece++) {
      rates.asked(peer);
      rates.brought(peer);
    }
  }
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { rates, held, bring, pass, limit: () => rates.limitOf(HONEST, [HONEST, OTHER]) };
}

test('a peer that brings too few pieces for its files holds half as many', () => {
  const { held, bring, pass, limit } = opened();
  held.set(HONEST, 8);
  bring(HONEST, 1);
  pass(WINDOW_MS);
  bring(HONEST, 1);
  expect(limit()).toBe(4);
});

test('a peer without files is not slow', () => {
  const { rates, held, bring, pass, limit } = opened();
  held.set(HONEST, 1);
  bring(HONEST, 1);
  const whole = limit();
  held.set(HONEST, 0);
  rates.idle(HONEST);
  pass(2 * WINDOW_MS);
  held.set(HONEST, 1);
  bring(HONEST, 1);
  expect(limit()).toBe(whole);
});
