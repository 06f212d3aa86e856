/** Genesis parameters: integers that decide which bytes are written, equal on all nodes. */
import { StateError } from './errors.ts';
import { SEGMENT_BYTES_MAX } from './log/format.ts';

export interface StateParameters {
  /** There are history + 1 logs, written in rotation. */
  readonly history: number;
  /** A log is compacted when its dead bytes exceed this percentage of its live bytes. */
  readonly deadPercent: number;
  /** A log with fewer dead bytes is never compacted: a new file costs more. */
  readonly deadBytesMin: number;
  /** A log with more dead bytes is always compacted. */
  readonly deadBytesMax: number;
  /** Bytes of live records that a batch may move, or its own Puts' bytes if more. */
  readonly moveBytesMax: number;
}

/** What all nodes of a chain share. */
export interface Chain {
  readonly parameters: StateParameters;
  readonly genesisHash: Uint8Array;
}

export const DEFAULT_PARAMETERS: StateParameters = {
  history: 256,
  deadPercent: 100,
  deadBytesMin: 65_536,
  deadBytesMax: 16_777_216,
  /** 9,000 accounts: bounds the time to prepare and fold. */
  moveBytesMax: 524_288,
};

/** The index stores a log's number in nine bits. */
export const HISTORY_MAX = 510;
const BYTES_MAX = 2 ** 31 - 1;
/**
 * A quarter of the largest segment, which also holds the batch's own Puts and its Nullify. A compaction beyond one segment would halt the
 * chain for good, because no node could prepare the batch.
 */
const MOVE_BYTES_MAX = SEGMENT_BYTES_MAX / 4;

/** Throws StateError `bad-parameters`. */
export function checkParameters(given: Partial<StateParameters> = {}): StateParameters {
  const parameters = { ...DEFAULT_PARAMETERS, ...given };
  const ranges: readonly [keyof StateParameters, number, number][] = [
    ['history', 1, HISTORY_MAX],
    ['deadPercent', 1, 10_000],
    ['deadBytesMin', 0, BYTES_MAX],
    ['deadBytesMax', 1, BYTES_MAX],
    ['moveBytesMax', 1, MOVE_BYTES_MAX],
  ];
  for (const [name, least, most] of ranges) {
    const value = parameters[name];
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new StateError('bad-parameters', `${name} is ${value}; an integer from ${least} to ${most} is needed`, {
        name,
      });
    }
  }
  return parameters;
}
