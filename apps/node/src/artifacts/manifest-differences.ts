/** What differs between two versions of an application, a line each. */
import type { ApplicationManifest } from '@slipstream/app/program';

type Part = { readonly name: string };

export function manifestDifferences(before: ApplicationManifest, after: ApplicationManifest): readonly string[] {
  return [
    ...partsOf('action', before.actions, after.actions),
    ...partsOf('table', before.tables, after.tables),
    ...partsOf('event', before.events, after.events),
    ...partsOf('query', before.queries, after.queries),
  ];
}

function partsOf(kind: string, before: readonly Part[], after: readonly Part[]): readonly string[] {
  const old = new Map(before.map((part) => [part.name, JSON.stringify(part)]));
  const names = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((part) => {
      const known = old.get(part.name);
      if (known === undefined) return [`+ ${kind} ${part.name}`];
      return known === JSON.stringify(part)
        ? []
        : [`~ ${kind} ${part.name}: ${changedFields(JSON.parse(known), part)}`];
    }),
    ...before.filter(({ name }) => !names.has(name)).map(({ name }) => `- ${kind} ${name}`),
  ];
}

function changedFields(before: Record<string, unknown>, after: object): string {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differs = (field: string) =>
    JSON.stringify(before[field]) !== JSON.stringify((after as Record<string, unknown>)[field]);
  return [...fields].filter(differs).join(', ');
}
