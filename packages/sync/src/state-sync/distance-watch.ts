/**
 * A running node that falls far behind takes over a state, without a restart (sync.md, Y25 and Y26).
 *
 *   each second: more than `distance` behind and not getting nearer (approach.ts), or behind without a commit for STUCK_MS?
 *        | yes
 *      join --staged, and still far behind--> replace: the caller swaps it in
 *        \--nothing to take, no peer has the next block--> stranded
 *
 * After an attempt without a replacement the next waits AGAIN_MS, doubled each time to AGAIN_MS_MAX, until the node is near the chain.
 */
import type { Clock, Telemetry } from '@slipstream/ports';
import { createApproach, WINDOW_MS } from './approach.ts';
import type { Joining } from './join.ts';
import type { StagedState } from './take-over.ts';

export interface DistanceWatch {
  /** No peer that answered has the next block, and there is no state to take: an operator has to act. */
  isStranded(): boolean;
  /** Resolves when no attempt is under way. Its sources must not wait any more. */
  stop(): Promise<void>;
}

interface DistanceWatchComponents {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  /** Committed here; reported by more than a third of the weight. */
  readonly heights: () => { readonly own: number; readonly reported: number };
  /** Undefined: this node takes over no state. */
  readonly join: ((own: number) => Promise<Joining>) | undefined;
  readonly isStranded: (own: number) => Promise<boolean>;
  /** Called at most once; the watch is over. */
  readonly replace: (staged: StagedState) => void;
}

const LOOK_MS = 1000;
/** As many heights as a node may be behind and ready. */
const NEAR_HEIGHTS = 8;
/** Ten times a block of a slow network. */
const STUCK_MS = WINDOW_MS;
const AGAIN_MS = 30_000;
const AGAIN_MS_MAX = 600_000;

export function createDistanceWatch(components: DistanceWatchComponents, distance: number): DistanceWatch {
  const { clock, telemetry, heights, join, isStranded, replace } = components;
  const approach = createApproach();
  let lastOwn = -1;
  let movedMs = clock.monotonicMs();
  let nextMs = 0;
  let pauseMs = AGAIN_MS;
  let stranded = false;
  let isOver = false;
  let acting: Promise<void> = Promise.resolve();
  let cancel = clock.after(LOOK_MS, look);

  /** Whether to act now. */
  function isDue(nowMs: number): boolean {
    const { own, reported } = heights();
    const isNear = reported <= own + NEAR_HEIGHTS;
    if (isNear) [nextMs, pauseMs] = [0, AGAIN_MS];
    if (isNear || own !== lastOwn) [lastOwn, movedMs, stranded] = [own, nowMs, false];
    approach.sample(nowMs, Math.max(0, reported - own));
    // Joining takes processor and disk of the blocks' work, and its end closes all parts: a node that is there soon goes on by blocks.
    const isFar = join !== undefined && reported > own + distance && approach.state() === 'staying';
    return nowMs >= nextMs && (isFar || nowMs - movedMs >= STUCK_MS);
  }

  function look(): void {
    acting = (isDue(clock.monotonicMs()) ? act() : Promise.resolve()).catch((error: unknown) => {
      if (isOver) return;
      telemetry.log('warn', 'state sync: an attempt beside the running node failed', { error: String(error) });
    });
    void acting.then(() => {
      if (!isOver) cancel = clock.after(LOOK_MS, look);
    });
  }

  async function act(): Promise<void> {
    const { own } = heights();
    const joining = join === undefined ? 'near' : await join(own);
    if (isOver) return;
    if (typeof joining !== 'string' && isWorthIt(joining, own)) {
      isOver = true;
      return replace(joining);
    }
    nextMs = clock.monotonicMs() + pauseMs;
    pauseMs = Math.min(2 * pauseMs, AGAIN_MS_MAX);
    if (joining !== 'near' || heights().own !== own) return;
    stranded = await isStranded(own);
  }

  /** Meanwhile the node went on by blocks, and a replacement costs a second or two of votes. */
  function isWorthIt({ height }: StagedState, ownBefore: number): boolean {
    const { own, reported } = heights();
    if (height <= own) return false;
    if (own === ownBefore) return true;
    approach.sample(clock.monotonicMs(), Math.max(0, reported - own));
    return height > own + distance / 2 && approach.state() !== 'closing';
  }

  return {
    isStranded: () => stranded,
    async stop() {
      isOver = true;
      cancel();
      await acting;
    },
  };
}
