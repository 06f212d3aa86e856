/** What a transaction can ask an application to do. */
import { badDefinition } from '../forms/errors.ts';
import type { Fields, Form, RecordOf } from '../forms/form.ts';
import { record } from '../forms/record.ts';
import type { ActionUnits, Units } from '../manifest.ts';
import type { Key } from '../state/keys.ts';
import type { Context } from './context.ts';

export interface DeclaredUnits extends Units {
  /** Added for each begun KiB of input. What is missing is 0. */
  readonly perInputKiB?: Partial<Units>;
}

export interface ActionRule<I> {
  /** All entries that `run` may touch. Missing: they are found out by running. */
  keys?(context: Context, input: I): readonly Key[];
  /** Charged, and the most that an action may use. Missing: `DEFAULT_UNITS`. */
  readonly units?: DeclaredUnits;
  /** Runs beside other actions where that pays. Needs `keys`. */
  readonly parallel?: boolean;
  run(context: Context, input: I): void;
}

export interface Action<I> extends ActionRule<I> {
  readonly input: Form<I>;
}

export function action<F extends Fields>(fields: F, rule: ActionRule<RecordOf<F>>): Action<RecordOf<F>> {
  if (rule.parallel && rule.keys === undefined) throw badDefinition('a parallel action needs keys');
  return { ...rule, input: record(fields) };
}

const NO_UNITS: Units = { compute: 0, reads: 0, writes: 0, bytes: 0 };

/** Enough for a few entries and no long loop. An action that does less pays less with units of its own. */
export const DEFAULT_UNITS: ActionUnits = {
  fixed: { compute: 50, reads: 16, writes: 16, bytes: 2_048 },
  perInputKiB: { compute: 20, reads: 0, writes: 0, bytes: 0 },
};

export function unitsOf(declared: DeclaredUnits | undefined): ActionUnits {
  if (declared === undefined) return DEFAULT_UNITS;
  const { compute, reads, writes, bytes, perInputKiB } = declared;
  return { fixed: checked({ compute, reads, writes, bytes }), perInputKiB: checked({ ...NO_UNITS, ...perInputKiB }) };
}

/** Larger than any action's limit; sums stay exact. */
const UNITS_MAX = 2 ** 32 - 1;

function checked(units: Units): Units {
  for (const [name, value] of Object.entries(units)) {
    if (!Number.isInteger(value) || value < 0 || value > UNITS_MAX)
      throw badDefinition(`units: ${name} is an integer from 0 to ${UNITS_MAX}`);
  }
  return units;
}
