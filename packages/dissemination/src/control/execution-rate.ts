/**
 * Execution rate: how much a leader puts into a block, so that executing it takes no longer than a target (pipeline.md,
 * "Calibration").
 *
 *   committed: so many compute units, executed here in so many ms --> median ms a unit of late --> units that fit the target
 *
 * What is executed within about one network delay is hidden under consensus; what takes longer is waited for by everybody. Units
 * are bounds that the chain agrees on, set for the reference machine; how long they take is what a machine measures. So this is a
 * leader's choice, and no rule of validity: another one's fuller block is voted for as ever. The pace of blocks (consensus,
 * execution-lag.ts) bounds how many wait for execution, this bounds each one; it acts first, before anything waits.
 */
import { assert } from '@slipstream/primitives';
import { addUnits, type ChunkReference, hexOf, NO_UNITS, UNIT_DIMENSIONS, type Units } from '@slipstream/types';
import type { ChunkStore } from '../chunks/chunk-store.ts';

export interface ExecutionRate {
  /** A block whose chunks take so many units was executed here in so many ms; undefined where that is not known. */
  executed(units: Units | undefined, tookMs: number | undefined): void;
  /** The limits of a block, but for no more compute than executes within the target. */
  readonly timelyUnits: Units;
}

export interface ExecutionRateSetting {
  readonly targetExecutionMs: number;
  readonly unitLimits: Units;
}

/** What one chunk may hold, of what a block may: four validators that are all busy fill it with one chunk each. */
export const CHUNK_SHARE: number = 1 / 4;

const COMPUTE = UNIT_DIMENSIONS.indexOf('compute');

/** Blocks of late whose median counts: one that a pause or a cold start made slow decides nothing. */
const SAMPLES_MAX = 15;
/** With fewer nothing is known. */
const SAMPLES_MIN = 5;
/**
 * A block that takes less of the target tells of what a block costs, and not of what is in it: unless it is as large as half of a
 * chunk that is allowed, or an allowance that one slow minute made small would never grow again. A producer that is busy alone brings a
 * block no more than one chunk.
 */
const TELLING_SHARE = 1 / 20;
const LARGE_SHARE = CHUNK_SHARE / 2;

export function createExecutionRate({ targetExecutionMs, unitLimits }: ExecutionRateSetting): ExecutionRate {
  assert(targetExecutionMs > 0, 'a block may take some time to execute');
  /** ms a unit, oldest first. */
  const samples: number[] = [];
  let computeMax = Number.POSITIVE_INFINITY;

  function executed(units: Units | undefined, tookMs: number | undefined): void {
    if (units === undefined || tookMs === undefined) return;
    const compute = units[COMPUTE] as number;
    const isTelling = tookMs >= TELLING_SHARE * targetExecutionMs || compute >= LARGE_SHARE * computeMax;
    if (compute === 0 || !isTelling) return;
    samples.push(tookMs / compute);
    if (samples.length > SAMPLES_MAX) samples.shift();
    if (samples.length < SAMPLES_MIN) return;
    const median = samples.toSorted((a, b) => a - b)[samples.length >>> 1] as number;
    computeMax = targetExecutionMs / median;
  }

  return {
    executed,
    get timelyUnits() {
      return unitLimits.map((limit, i) => (i === COMPUTE ? Math.min(limit, Math.floor(computeMax)) : limit));
    },
  };
}

/** What the chunks of a block take together; undefined when one is not here. */
export function unitsOfPayload(
  store: Pick<ChunkStore, 'get'>,
  payload: readonly Pick<ChunkReference, 'chunkId'>[],
): Units | undefined {
  return payload.reduce<Units | undefined>((sum, { chunkId }) => {
    const chunk = store.get(hexOf(chunkId));
    return sum && chunk && addUnits(sum, chunk.header.units);
  }, NO_UNITS);
}
