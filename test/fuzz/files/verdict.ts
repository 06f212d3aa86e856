/** Outcomes of a damaged file. */
import type { Telemetry } from '@slipstream/ports';
import { CodedError } from '@slipstream/primitives';

export const OUTCOMES = ['refused', 'named', 'cut', 'same', 'forbidden'] as const;

/**
 * - `refused`: opening ends in a typed error that names file or record.
 * - `named`: a read of the record gives a typed error or a log line, all else is unchanged.
 * - `cut`: treated as a crash's remains, as the file's design allows; the rest is unchanged.
 * - `same`: no read changes.
 * - `forbidden`: another value, an error without type or name, an unreported loss.
 */
export type Outcome = (typeof OUTCOMES)[number];

export interface Verdict {
  readonly outcome: Outcome;
  readonly words: string;
}

export const verdict = (outcome: Outcome, words = ''): Verdict => ({ outcome, words });
export const forbidden = (words: string): Verdict => ({ outcome: 'forbidden', words });

const NAMES_MISSING = 'an error that names neither file nor record';

/** Verdict on an error at opening. `names`: the place in its message. */
export function refusal(error: unknown, names: RegExp): Verdict {
  if (!(error instanceof CodedError)) return forbidden(`an error without a type: ${textOf(error)}`);
  const words = `${error.name} ${error.code}: ${error.message}`;
  return names.test(error.message) ? verdict('refused', words) : forbidden(`${NAMES_MISSING}: ${words}`);
}

export function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Records warnings. */
export function listening(): { readonly telemetry: Telemetry; readonly words: string[] } {
  const words: string[] = [];
  const telemetry: Telemetry = {
    event() {},
    count() {},
    gauge() {},
    observe() {},
    log(level, message) {
      if (level === 'warn' || level === 'error') words.push(message);
    },
  };
  return { telemetry, words };
}

/** JSON with big integers and bytes. */
export function digestOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'bigint') return `${each}n`;
    return each instanceof Uint8Array ? Buffer.from(each).toString('hex') : each;
  });
}
