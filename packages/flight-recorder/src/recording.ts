/**
 * A recording: one file with a core's state, then entries.
 *
 *   magic | length head | length entry | length entry | ... | end mark        lengths: 4 bytes, little-endian
 *
 *   head    setting and state of the core when the file begins | its checksum
 *   entry   event, times | checksum of the head and all events so far | digest of all effects so far
 *
 * A file replays exactly without other files. The end mark is missing after a kill or a failure.
 */
import type { Core, CoreSetting, CoreState, Effect, Event } from '@slipstream/consensus';
import { createDigest, type Digest } from './digest.ts';
import { ValueWriter } from './value-writer.ts';

export const RECORDING_MAGIC = new TextEncoder().encode('SLIPREC3');
/** Read as a length, it is above any entry's. */
export const END_MARK = new TextEncoder().encode('SLIPEND1');
export const RECORDING_SUFFIX = '.recording';
/** Checksum behind the head. */
export const HEAD_TAIL_BYTES = 4;
/** Checksum, and the outcomes' digest of two words. */
export const ENTRY_TAIL_BYTES = 12;
/** Far above the largest entry, a fetched range of blocks. */
export const ENTRY_BYTES_MAX = 64 * 1024 * 1024;

/** `lift`: an operator action. */
export type CoreInput = Event | { readonly type: 'lift'; readonly member: number };

/** The result of an input. A failed assertion is an outcome, too. */
export type Outcome = readonly Effect[] | { readonly threw: string };

export interface RecordingHead {
  readonly setting: CoreSetting;
  readonly state: CoreState;
}

export function applyInput(core: Core, input: CoreInput, nowMs: number, wallMs: number): readonly Effect[] {
  if (input.type !== 'lift') return core.step(input, nowMs, wallMs);
  core.lift(input.member);
  return [];
}

/** Runs an input. An exception becomes an outcome. */
export function outcomeOf(core: Core, input: CoreInput, nowMs: number, wallMs: number): Outcome {
  try {
    return applyInput(core, input, nowMs, wallMs);
  } catch (error) {
    return threw(error);
  }
}

export function threw(error: unknown): Outcome {
  return { threw: error instanceof Error ? error.message : String(error) };
}

/** Recorder and replay share this digest. */
export function createOutcomeDigest(): { add(outcome: Outcome): void } & Pick<Digest, 'low' | 'high'> {
  const writer = new ValueWriter();
  const digest = createDigest();
  return {
    add(outcome) {
      writer.write(outcome);
      digest.add(writer.take());
    },
    get low() {
      return digest.low;
    },
    get high() {
      return digest.high;
    },
  };
}
