/**
 * Execution rate: bounds a leader's block so that its execution meets a target time (pipeline.md, "Calibration").
 *
 *   committed: so many compute units, executed here in so many ms --> median ms for a unit --> units that fit the target
 *
 * Consensus hides execution up to about one network delay; longer execution delays every validator. Each machine measures its own speed:
 * this is a leader's choice, no rule of validity. Execution lag (consensus, execution-lag.ts) bounds the blocks that wait for execution;
 * this acts first.
 */
import { assert } from '@slipstream/primitives';
import { addUnits, type ChunkReference, hexOf, NO_UNITS, UNIT_DIMENSIONS, type Units } from '@slipstream/types';
import type { ChunkStore } from '../chunks/chunk-store.ts';

export interface ExecutionRate {
  /** A block executed here; undefined: not known. */
  executed(units: Units | undefined, tookMs: number | undefined): void;
  /** A block's limits, less what exceeds the target: targetExecutionMs, or half of the block interval up to targetExecutionMsMax. */
  readonly timelyUnits: Units;
}

interface ExecutionRateSetting {
  readonly targetExecutionMs: number;
  readonly targetExecutionMsMax: number;
  /** Between recent blocks; 0: not known. */
  blockIntervalMs(): number;
  /** Of a block now. */
  unitLimits(): Units;
}

/** Where blocks come seldom, the executor would idle for the rest of the interval, and what a block leaves waits for another one. */
const INTERVAL_SHARE = 1 / 2;

/** Four busy validators fill a block with one chunk each. */
const CHUNK_SHARE_MIN = 1 / 4;

const COMPUTE = UNIT_DIMENSIONS.indexOf('compute');

/** For the median. */
const SAMPLES_MAX = 15;
/** With fewer there is no bound. */
const SAMPLES_MIN = 5;
/**
 * Below this share of the target a block measures its fixed cost, so it is no sample, unless it is as large as half of an allowed chunk:
 * else a bound once made small would never grow when a single producer brings one chunk a block.
 */
const SAMPLE_SHARE_MIN = 1 / 20;
const LARGE_SHARE = CHUNK_SHARE_MIN / 2;

export function createExecutionRate(setting: ExecutionRateSetting): ExecutionRate {
  assert(setting.targetExecutionMs > 0, 'a block may take some time to execute');
  /** ms per unit, oldest first. */
  const samples: number[] = [];
  let msPerUnit = 0;

  function targetMs(): number {
    const ofInterval = Math.min(setting.targetExecutionMsMax, INTERVAL_SHARE * setting.blockIntervalMs());
    return Math.max(setting.targetExecutionMs, ofInterval);
  }

  const computeMax = (): number => targetMs() / msPerUnit;

  function executed(units: Units | undefined, tookMs: number | undefined): void {
    if (units === undefined || tookMs === undefined) return;
    const compute = units[COMPUTE] as number;
    const isTelling = tookMs >= SAMPLE_SHARE_MIN * targetMs() || compute >= LARGE_SHARE * computeMax();
    if (compute === 0 || !isTelling) return;
    samples.push(tookMs / compute);
    if (samples.length > SAMPLES_MAX) samples.shift();
    if (samples.length < SAMPLES_MIN) return;
    msPerUnit = samples.toSorted((a, b) => a - b)[samples.length >>> 1] as number;
  }

  return {
    executed,
    get timelyUnits() {
      const compute = Math.floor(computeMax());
      return setting.unitLimits().map((limit, i) => (i === COMPUTE ? Math.min(limit, compute) : limit));
    },
  };
}

/**
 * Of what a block may hold, for one chunk. Few producers together fill a block: with a quarter, one alone packs less in an interval of
 * chunks than it executes, and its clients wait.
 */
export function chunkShareOf(producers: number): number {
  return Math.max(CHUNK_SHARE_MIN, 1 / producers);
}

/** Undefined: a chunk is not here. */
export function unitsOfPayload(
  store: Pick<ChunkStore, 'get'>,
  payload: readonly Pick<ChunkReference, 'chunkId'>[],
): Units | undefined {
  return payload.reduce<Units | undefined>((sum, { chunkId }) => {
    const chunk = store.get(hexOf(chunkId));
    return sum && chunk && addUnits(sum, chunk.header.units);
  }, NO_UNITS);
}
