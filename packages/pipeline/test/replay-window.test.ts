import { type BlockId, type Hex, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createReplayWindow } from '../src/replay-window.ts';

const block = (name: string) => name as Hex<BlockId>;
const [A, B, C] = ['a', 'b', 'c'].map(block) as [Hex<BlockId>, Hex<BlockId>, Hex<BlockId>];
const none = () => false;
const only = (ancestor: Hex<BlockId>) => (other: Hex<BlockId>) => other === ancestor;

describe('the replay window', () => {
  it('tells rivals apart that executed the same, until one of them is settled', () => {
    const window = createReplayWindow();
    for (const [at, rival] of [A, B, C].entries()) window.add(rival, at, ['shared', `own of ${rival}`]);
    expect(window.size).toBe(4);
    expect([A, B, C].map((rival) => window.has('shared', only(rival)))).toEqual([true, true, true]);
    expect(window.has('own of a', only(B))).toBe(false);
    expect(window.has('shared', none)).toBe(false);
    window.remove(B);
    expect([A, B, C].map((rival) => window.has('shared', only(rival)))).toEqual([true, false, true]);
    window.settle(A);
    window.remove(C);
    expect(window.has('shared', none)).toBe(true);
    expect(window.size).toBe(2);
  });

  it('forgets what a settled block a life later has left behind, and nothing sooner', () => {
    const window = createReplayWindow();
    window.add(A, 1_000, ['old']);
    window.settle(A);
    window.add(B, 1_000 + TRANSACTION_LIFE_MS_MAX, ['young']);
    window.settle(B);
    expect(window.has('old', none)).toBe(true);
    window.add(C, 1_001 + TRANSACTION_LIFE_MS_MAX, []);
    window.settle(C);
    expect([window.has('old', none), window.has('young', none)]).toEqual([false, true]);
  });

  it('does not mind what it does not know', () => {
    const window = createReplayWindow();
    window.remove(A);
    window.settle(A);
    expect(window.has('nothing', () => true)).toBe(false);
    expect(window.size).toBe(0);
  });
});
