/** Entries of an application's tables as JSON. */
import type { Json } from '@slipstream/app/program';
import { fromHex } from '@slipstream/primitives';
import type { Execution } from './execution.ts';
import { keyText } from './node/usage.ts';
import type { Prepared } from './prepare.ts';

export type ShownEntry = readonly [key: Json, value: Json];

const NO_KEY = new Uint8Array(0);

/** In the order of keys. Inner nodes of sorted tables are left out. Throws RangeError for an unknown table. */
export function entriesOf({ json, numberOf }: Prepared, { entries }: Execution, table: string): readonly ShownEntry[] {
  const number = numberOf('tables', table);
  const prefix = keyText(number, NO_KEY);
  return [...entries]
    .filter(([text]) => text.startsWith(prefix))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([text, value]) => {
      const key = json.keyToJson(number, fromHex(text.slice(prefix.length)));
      return key === undefined ? [] : [[key, json.valueToJson(number, value).value] as const];
    });
}
