import { sha256, utf8 } from '@slipstream/primitives';
import { createRandom, type SeededRandom } from '@slipstream/simulator';
import { asId, type BlockId, type Hex, TRANSACTION_LIFE_MS_MAX, type TransactionId } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReplayWindow, type ReplayWindow } from '../src/replay-window.ts';
import { createReplayModel } from './replay-model.ts';

const block = (name: string) => name as Hex<BlockId>;
const id = (name: string) => asId<TransactionId>(sha256(utf8(name)));
const [A, B, C] = ['a', 'b', 'c'].map(block) as [Hex<BlockId>, Hex<BlockId>, Hex<BlockId>];
const none = () => false;
const only = (ancestor: Hex<BlockId>) => (other: Hex<BlockId>) => other === ancestor;
const HASH_KEY = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);

describe('the replay window', () => {
  it('keeps rivals with the same transactions apart until one of them is final', () => {
    const window = createReplayWindow(HASH_KEY);
    for (const [at, rival] of [A, B, C].entries()) window.add(rival, at, [id('shared'), id(`own of ${rival}`)]);
    expect(window.size).toBe(4);
    expect([A, B, C].map((rival) => window.has(id('shared'), only(rival)))).toEqual([true, true, true]);
    expect(window.has(id('own of a'), only(B))).toBe(false);
    expect(window.has(id('shared'), none)).toBe(false);
    window.remove(B);
    expect([A, B, C].map((rival) => window.has(id('shared'), only(rival)))).toEqual([true, false, true]);
    window.finish(A);
    window.remove(C);
    expect(window.has(id('shared'), none)).toBe(true);
    expect(window.size).toBe(2);
  });

  it('drops a final block after its lifetime, and not before', () => {
    const window = createReplayWindow(HASH_KEY);
    window.add(A, 1_000, [id('old')]);
    window.finish(A);
    window.add(B, 1_000 + TRANSACTION_LIFE_MS_MAX, [id('young')]);
    window.finish(B);
    expect(window.has(id('old'), none)).toBe(true);
    window.add(C, 1_001 + TRANSACTION_LIFE_MS_MAX, []);
    window.finish(C);
    expect([window.has(id('old'), none), window.has(id('young'), none)]).toEqual([false, true]);
  });

  it('ignores unknown blocks', () => {
    const window = createReplayWindow(HASH_KEY);
    window.remove(A);
    window.finish(A);
    expect(window.has(id('nothing'), () => true)).toBe(false);
    expect(window.size).toBe(0);
  });

  it('distinguishes two ids that differ in any bit', () => {
    const window = createReplayWindow(HASH_KEY);
    window.add(A, 1, [id('one')]);
    const changed = Array.from({ length: 256 }, (_, bit) => {
      const bytes = id('one').slice();
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      return window.has(asId(bytes), () => true);
    });
    expect(changed).not.toContain(true);
    expect(window.has(id('one'), () => true)).toBe(true);
  });

  it('adds a block once', () => {
    const window = createReplayWindow(HASH_KEY);
    window.add(A, 1, [id('one')]);
    expect(() => window.add(A, 1, [id('one')])).toThrow('remembered once');
    window.finish(A);
    expect(() => window.add(A, 1, [id('one')])).toThrow('remembered once');
  });
});

/** Ids of a pool that blocks share: some of them the same in all but their last, or their first bytes. */
function idsAlike(count: number): readonly TransactionId[] {
  return Array.from({ length: count }, (_, i) => {
    const bytes = id(`${i}`).slice();
    if (i % 3 === 1) bytes.set(id('begins alike').subarray(0, 28), 0);
    if (i % 3 === 2) bytes.set(id('ends alike').subarray(0, 28), 4);
    return asId<TransactionId>(bytes);
  });
}

const POOL = idsAlike(2_000);

/** The window and the plain list get the same calls. */
class Pair {
  readonly random: SeededRandom;
  readonly own: ReplayWindow;
  readonly model = createReplayModel();
  readonly open: Hex<BlockId>[] = [];
  readonly settled: Hex<BlockId>[] = [];
  private made = 0;
  private nowMs = 0;

  constructor(seed: number) {
    this.random = createRandom(seed);
    this.own = createReplayWindow(this.random.bytes(8));
  }

  /** Mostly of its own, some that others have, some twice. */
  private idsOfBlock(): readonly TransactionId[] {
    return Array.from({ length: this.random.below(4) === 0 ? this.random.below(700) : this.random.below(12) }, () =>
      this.random.pick(POOL),
    );
  }

  /** Time goes on by up to a third of a life, stands still, or goes back. */
  add(): void {
    this.nowMs = Math.max(0, this.nowMs + this.random.below(TRANSACTION_LIFE_MS_MAX / 3) - 1_000);
    const name = block(`block ${this.made++}`);
    const ids = this.idsOfBlock();
    for (const window of [this.own, this.model]) window.add(name, this.nowMs, ids);
    this.open.push(name);
  }

  /** One that is open, at times one that is settled, removed or unknown. */
  private some(): Hex<BlockId> {
    const known = this.random.chance(0.9) ? this.open : this.settled;
    return known.length > 0 ? this.random.pick(known) : block('unknown');
  }

  remove(): void {
    const name = this.some();
    for (const window of [this.own, this.model]) window.remove(name);
    this.close(name);
  }

  settle(): void {
    const name = this.random.chance(0.5) ? (this.open[0] ?? block('unknown')) : this.some();
    for (const window of [this.own, this.model]) window.finish(name);
    if (this.close(name)) this.settled.push(name);
  }

  private close(name: Hex<BlockId>): boolean {
    const at = this.open.indexOf(name);
    if (at >= 0) this.open.splice(at, 1);
    return at >= 0;
  }

  compare(): void {
    const ancestors = new Set(this.open.filter(() => this.random.chance(0.3)));
    const isAncestor = (other: Hex<BlockId>) => ancestors.has(other);
    const heldBy = (window: ReplayWindow) => POOL.map((each) => (window.has(each, isAncestor) ? '1' : '0')).join('');
    expect(this.own.size).toBe(this.model.size);
    expect(heldBy(this.own)).toBe(heldBy(this.model));
  }
}

describe('against a model', () => {
  it('answers as Maps do for any sequence of rivals added, removed, finalized and dropped', () => {
    const step = fc.constantFrom('add', 'add', 'add', 'remove', 'settle', 'settle', 'compare');
    fc.assert(
      fc.property(fc.nat(), fc.array(step, { maxLength: 60, size: 'max' }), (seed, steps) => {
        const pair = new Pair(seed);
        for (const name of steps) pair[name as 'add' | 'remove' | 'settle' | 'compare']();
        pair.compare();
      }),
      { numRuns: 100 },
    );
  });

  it('answers as Maps do while it grows far beyond its first capacity, and once it is empty again', () => {
    const pair = new Pair(7);
    for (let i = 0; i < 120; i++) pair.add();
    pair.compare();
    while (pair.open.length > 0) {
      if (pair.random.chance(0.5)) pair.remove();
      else pair.settle();
    }
    pair.compare();
    for (let i = 0; i < 40; i++) pair.add();
    pair.compare();
  });
});
