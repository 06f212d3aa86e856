/** What became of a damaged file, and what of that may be. */
import type { Telemetry } from '@slipstream/ports';
import { CodedError } from '@slipstream/primitives';

export const OUTCOMES = ['refused', 'named', 'cut', 'same', 'forbidden'] as const;

/**
 * - `refused`: opening ends in a typed error that names the file or the record.
 * - `named`: it opens; whoever reads the record is told, in a typed error or in the log, and all else is as before.
 * - `cut`: taken for what a crash leaves, as the file's design allows; what is left is what was there before.
 * - `same`: nothing that is read has changed.
 * - `forbidden`: another value, an error without a type or a name, a loss without a word.
 */
export type Outcome = (typeof OUTCOMES)[number];

export interface Verdict {
  readonly outcome: Outcome;
  readonly words: string;
}

export const verdict = (outcome: Outcome, words = ''): Verdict => ({ outcome, words });
export const forbidden = (words: string): Verdict => ({ outcome: 'forbidden', words });

const NAMES_MISSING = 'an error that names neither file nor record';

/** Of an error at opening. `names`: what of its words says where. */
export function refusal(error: unknown, names: RegExp): Verdict {
  if (!(error instanceof CodedError)) return forbidden(`an error without a type: ${textOf(error)}`);
  const words = `${error.name} ${error.code}: ${error.message}`;
  return names.test(error.message) ? verdict('refused', words) : forbidden(`${NAMES_MISSING}: ${words}`);
}

export function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Telemetry that keeps what an operator would be warned of. */
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
