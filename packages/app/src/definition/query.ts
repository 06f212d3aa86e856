/** Answers from the state, without a transaction; and the state that a chain begins with. */
import type { Fields, Form, RecordOf } from '../forms/form.ts';
import { record } from '../forms/record.ts';

export interface Query<I, O> {
  readonly input: Form<I>;
  readonly output: Form<O>;
  run(input: I): O;
}

export function query<F extends Fields, O>(
  fields: F,
  output: Form<O>,
  run: (input: RecordOf<F>) => NoInfer<O>,
): Query<RecordOf<F>, O> {
  return { input: record(fields), output, run };
}

export interface Genesis<I> {
  readonly input: Form<I>;
  run(input: I): void;
}

export function genesis<F extends Fields>(fields: F, run: (input: RecordOf<F>) => void): Genesis<RecordOf<F>> {
  return { input: record(fields), run };
}
