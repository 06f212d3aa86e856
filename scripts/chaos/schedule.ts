/**
 * Endless episodes: the same seed, kinds and size give the same ones.
 *
 *   quiet --> one or two faults --> hold --> heal --> recovered? --> quiet ...
 */
import { createRandom, type SeededRandom } from '@slipstream/simulator';
import type { FaultKind, Shape } from './fault-kind.ts';
import { FAULT_KINDS } from './faults.ts';
import type { Fault } from './site.ts';

export interface Episode {
  readonly number: number;
  readonly faults: readonly Fault[];
  readonly holdMs: number;
  readonly quietMs: number;
}

const HOLD_MS = [2_000, 8_000] as const;
const QUIET_MS = [500, 2_500] as const;
const PAIR_PROBABILITY = 0.3;

/** Kinds that run alone, because their healing would undo another fault's. */
const ALONE: ReadonlySet<string> = new Set(['restart-all', 'upstream']);

export function* episodesOf(seed: number, kinds: readonly string[], shape: Shape): Generator<Episode> {
  const chosen = FAULT_KINDS.filter(({ kind }) => kinds.includes(kind));
  const random = createRandom(`chaos/${seed}`);
  for (let number = 1; ; number++) {
    const draw = random.fork(`episode ${number}`);
    // Every kind once per round, in varying order.
    const round = Math.floor((number - 1) / chosen.length);
    const order = shuffled(chosen, random.fork(`round ${round}`));
    const first = order[(number - 1) % chosen.length] as FaultKind;
    const faults = [drawn(first)];
    const others = chosen.filter(({ kind }) => kind !== first.kind && !ALONE.has(kind));
    if (!ALONE.has(first.kind) && others.length > 0 && draw.chance(PAIR_PROBABILITY)) {
      const second = drawn(draw.pick(others));
      if (!second.victims.some((victim) => faults[0]?.victims.includes(victim))) faults.push(second);
    }
    const between = ([least, most]: readonly [number, number]) => least + draw.below(most - least);
    yield { number, faults, holdMs: between(HOLD_MS), quietMs: between(QUIET_MS) };

    function drawn(kind: FaultKind): Fault {
      return { kind: kind.kind, ...kind.draw(draw, shape) };
    }
  }
}

function shuffled<T>(values: readonly T[], random: SeededRandom): readonly T[] {
  const left = [...values];
  for (let at = left.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [left[at], left[other]] = [left[other] as T, left[at] as T];
  }
  return left;
}
