/** A check of what the page shows, to be judged by the light client. */
import type { LightClient } from '@slipstream/client/light';
import type { Flipped } from './flip-bit.ts';
import type { Verification } from './verify-message.ts';

export type Committees = LightClient['committees'];

type Judged = Pick<Verification, 'steps' | 'certified' | 'genesisHash'> & {
  /** Of what is shown of the present state, and what the proof shows. */
  readonly state?: { readonly height: number; readonly entry: Verification['entry'] };
};

type Refusal = Pick<Verification, 'steps'> & { readonly message: string };

export type Checked = { readonly ok: true; readonly value: Judged } | { readonly ok: false; readonly error: Refusal };

export interface Prepared {
  readonly check: (committees: Committees) => Checked;
  /** The bit that was changed. */
  readonly flipped: number | null;
}

export function prepared<T>(
  { value, bit }: Flipped<T>,
  check: (given: T, committees: Committees) => Checked,
): Prepared {
  return { flipped: bit, check: (committees) => check(value, committees) };
}

export function unchanged<T>(value: T): Flipped<T> {
  return { value, bit: null };
}
