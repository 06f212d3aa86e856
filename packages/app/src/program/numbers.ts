/** Numbers of tables, actions and events. They are part of state, transactions and receipts, so a lock file holds them once released. */
import type { Application } from '../definition/application.ts';
import { badDefinition } from '../forms/errors.ts';
import { COIN_TABLE } from '../host.ts';

interface NumbersByName {
  readonly [name: string]: number;
}

export interface Numbers {
  readonly tables: NumbersByName;
  readonly actions: NumbersByName;
  readonly events: NumbersByName;
}

const NUMBER_MAX = 65_535;

/**
 * Those of the lock file, and the next free ones for what it lacks, in the order of the definition. What only the lock file names stays
 * taken.
 */
export function numbersOf(application: Application, locked?: Numbers): Numbers {
  return {
    tables: numbered('table', Object.keys(application.state), locked?.tables ?? {}, COIN_TABLE - 1),
    actions: numbered('action', Object.keys(application.actions), locked?.actions ?? {}, NUMBER_MAX),
    events: numbered('event', Object.keys(application.events), locked?.events ?? {}, NUMBER_MAX),
  };
}

function numbered(what: string, names: readonly string[], locked: NumbersByName, max: number): NumbersByName {
  const taken = Object.values(locked);
  if (new Set(taken).size !== taken.length) throw badDefinition(`the lock file gives one number to two ${what}s`);
  let next = 0;
  for (const number of taken) next = Math.max(next, number + 1);
  const all: Record<string, number> = { ...locked };
  for (const name of names) {
    if (Object.hasOwn(all, name)) continue;
    all[name] = next;
    next += 1;
  }
  for (const [name, number] of Object.entries(all)) {
    if (!Number.isInteger(number) || number < 0 || number > max)
      throw badDefinition(`${what} ${name} has number ${number}; they are 0 to ${max}`);
  }
  return all;
}
