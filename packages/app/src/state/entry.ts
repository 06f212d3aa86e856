/** What `createProgram` reads of a table, a cell or a sorted table, and the number that it gives each. */
import { badDefinition } from '../forms/errors.ts';
import { COIN_TABLE } from '../host.ts';
import type { KeyCodec } from './keys.ts';
import type { ValueCodec } from './values.ts';

export interface StateEntry {
  readonly kind: 'table' | 'cell' | 'sorted';
  readonly key: KeyCodec<unknown>;
  readonly value: ValueCodec<unknown>;
  /** What an absent entry reads as. */
  readonly empty: unknown;
  readonly number: TableNumber;
}

interface TableNumber {
  /** Throws `bad-definition` when the entry has another number already, as part of another application. */
  bind(number: number): void;
  get(): number;
}

export function createTableNumber(): TableNumber {
  let own: number | undefined;
  return {
    bind(number) {
      if (!Number.isInteger(number) || number < 0 || number >= COIN_TABLE)
        throw badDefinition(`a table's number is 0 to ${COIN_TABLE - 1}, not ${number}`);
      if (own !== undefined && own !== number)
        throw badDefinition(`a table of number ${own} cannot be number ${number}, too`);
      own = number;
    },
    get() {
      if (own === undefined) throw badDefinition('a table is missing in the state of its application');
      return own;
    },
  };
}
