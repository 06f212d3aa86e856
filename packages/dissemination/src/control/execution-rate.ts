/**
 * Execution rate: how much a leader puts into a block, so that its execution takes no longer than a target (pipeline.md, "Calibration").
 *
 *   committed: so many compute units, executed here in so many ms --> median ms for a unit --> units that fit the target
 *
 * Consensus hides execution that takes up to about one network delay; longer execution delays every validator. Units are bounds that the
 * chain agrees on, set for the reference machine; a machine's own speed is measured. So this is a leader's choice and no rule of validity.
 * Execution lag (consensus, execution-lag.ts) bounds how many blocks wait for execution; this bounds each block, and acts first.
 */
import { assert } from '@slipstream/primitives';
import { addUnits, type ChunkReference, hexOf, NO_UNITS, UNIT_DIMENSIONS, type Units } from '@slipstream/types';
import type { ChunkStore } from '../chunks/chunk-store.ts';

export interface ExecutionRate {
  /** A block with these units was executed here in this time; undefined where either is not known. */
  executed(units: Units | undefined, tookMs: number | undefined): void;
  /** The limits of a block, with no more compute than executes within the target. */
  readonly timelyUnits: Units;
}

interface ExecutionRateSetting {
  readonly targetExecutionMs: number;
  readonly unitLimits: Units;
}

/** Of a block, for one chunk: four busy validators fill a block with one chunk each. */
export const CHUNK_SHARE: number = 1 / 4;

const COMPUTE = UNIT_DIMENSIONS.indexOf('compute');

/** Recent blocks for the median, which one slow block after a pause or a cold start does not change. */
const SAMPLES_MAX = 15;
/** With fewer there is no bound. */
const SAMPLES_MIN = 5;
/**
 * A block below this share of the target measures the fixed cost of a block, so it is no sample, unless it is as large as half of an
 * allowed chunk: otherwise a bound that one slow minute made small would never grow again, since a producer that is busy alone brings
 * one chunk for each block.
 */
const TELLING_SHARE = 1 / 20;
const LARGE_SHARE = CHUNK_SHARE / 2;

export function createExecutionRate({ targetExecutionMs, unitLimits }: ExecutionRateSetting): ExecutionRate {
  assert(targetExecutionMs > 0, 'a block may take some time to execute');
  /** ms for a unit, oldest first. */
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

/** Units of a block's chunks; undefined when one is not here. */
export function unitsOfPayload(
  store: Pick<ChunkStore, 'get'>,
  payload: readonly Pick<ChunkReference, 'chunkId'>[],
): Units | undefined {
  return payload.reduce<Units | undefined>((sum, { chunkId }) => {
    const chunk = store.get(hexOf(chunkId));
    return sum && chunk && addUnits(sum, chunk.header.units);
  }, NO_UNITS);
}
