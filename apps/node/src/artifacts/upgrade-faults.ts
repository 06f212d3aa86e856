/** Why a version of an application would misread what an earlier one wrote, a line each: numbers, and versions of tables. */
import type { ApplicationManifest, TableManifest } from '@slipstream/app/program';
import { canonicalJson } from '@slipstream/app-realm';

interface Numbered {
  readonly name: string;
  readonly number: number;
}

export function upgradeFaults(before: ApplicationManifest, after: ApplicationManifest): readonly string[] {
  return [
    ...numberFaults('table', before.tables, after.tables),
    ...numberFaults('action', before.actions, after.actions),
    ...numberFaults('event', before.events, after.events),
    ...before.tables.flatMap((table) => {
      const next = after.tables.find(({ name }) => name === table.name);
      const fault = next && tableFault(table, next);
      return fault === undefined ? [] : [`table ${table.name} ${fault}`];
    }),
  ];
}

function numberFaults(kind: string, before: readonly Numbered[], after: readonly Numbered[]): readonly string[] {
  const owners = new Map(before.map(({ name, number }) => [number, name]));
  const numbers = new Map(before.map(({ name, number }) => [name, number]));
  return after.flatMap(({ name, number }) => {
    const [had, owner] = [numbers.get(name), owners.get(number)];
    if (had !== undefined && had !== number) return [`${kind} ${name} has number ${number}, and had ${had}`];
    return owner !== undefined && owner !== name
      ? [`${kind} ${name} has number ${number}, which is that of ${owner}`]
      : [];
  });
}

function tableFault(before: TableManifest, after: TableManifest): string | undefined {
  const isSame = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);
  if (before.kind !== after.kind || !isSame(before.key, after.key)) return 'has keys of another form';
  if (after.version < before.version) return `writes version ${after.version}, and wrote ${before.version}`;
  const own = { version: before.version, value: before.value };
  const known = [...after.earlier, { version: after.version, value: after.value }];
  const lost = [own, ...before.earlier].find((each) => !known.some((other) => isSame(other, each)));
  return lost && `does not read values of version ${lost.version} in the form that they have`;
}
