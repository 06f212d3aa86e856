/** An application's manifest. */
import { unitsOf } from '../definition/action.ts';
import type { Application } from '../definition/application.ts';
import { type ApplicationManifest, KIT_VERSION, type TableManifest } from '../manifest.ts';
import type { StateEntry } from '../state/entry.ts';
import type { Numbers } from './numbers.ts';

export function manifestOf(application: Application, numbers: Numbers): ApplicationManifest {
  const { name, version, state, actions, events, queries, genesis, invariants } = application;
  return {
    kitVersion: KIT_VERSION,
    name,
    version,
    actions: byNumber(actions, numbers.actions).map(([name, number, action]) => ({
      name,
      number,
      input: action.input.description,
      units: unitsOf(action.units),
      declaresUnits: action.units !== undefined,
      declaresKeys: action.keys !== undefined,
      parallel: action.parallel === true,
    })),
    events: byNumber(events, numbers.events).map(([name, number, { body }]) => ({
      name,
      number,
      body: body.description,
    })),
    queries: Object.entries(queries).map(([name, { input, output }]) => ({
      name,
      input: input.description,
      output: output.description,
    })),
    tables: byNumber(state, numbers.tables).map(([name, number, { entry }]) => tableOf(name, number, entry)),
    ...(genesis && { genesis: genesis.input.description }),
    invariants: Object.keys(invariants),
  };
}

function tableOf(name: string, number: number, { kind, key, value, empty }: StateEntry): TableManifest {
  return {
    name,
    number,
    kind,
    key: key.parts.map(({ description }) => description),
    keyIsSingle: key.isSingle,
    value: value.form.description,
    version: value.version,
    earlier: value.earlier.map(({ version, form }) => ({ version, value: form.description })),
    ...(empty !== undefined && { empty: value.form.toJson(empty) }),
  };
}

/** In the order of numbers. */
export function byNumber<T>(
  items: { readonly [name: string]: T },
  numbers: { readonly [name: string]: number },
): readonly (readonly [name: string, number: number, item: T])[] {
  return Object.entries(items)
    .map(([name, item]) => [name, numbers[name] as number, item] as const)
    .sort(([, a], [, b]) => a - b);
}
