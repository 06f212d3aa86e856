/** What an action reports: in receipts and their proofs, on event streams, in the application's history. */
import { badDefinition } from '../forms/errors.ts';
import type { Fields, Form, RecordOf } from '../forms/form.ts';
import { record } from '../forms/record.ts';
import { emit } from '../state/stored.ts';

export interface Event<B> {
  emit(body: B): void;
  readonly body: Form<B>;
  /** By `createProgram`. */
  bind(number: number): void;
}

export function event<F extends Fields>(fields: F): Event<RecordOf<F>> {
  const body = record(fields);
  let own: number | undefined;
  return {
    emit(value) {
      if (own === undefined) throw badDefinition('an event is missing in the events of its application');
      emit(own, body, value);
    },
    body,
    bind(number) {
      if (own !== undefined && own !== number) throw badDefinition(`event ${own} cannot be event ${number}, too`);
      own = number;
    },
  };
}
