/** Circles of imports between files, types included (Tarjan): a circle has no first file to read. */
import { posix } from 'node:path';
import type { SourceFile } from './repository.ts';
import { isCode } from './repository.ts';
import { readSyntax } from './syntax.ts';

/** One line per circle, files sorted. */
export function findCircles(files: readonly SourceFile[]): readonly string[] {
  const code = files.filter(isCode);
  const known = new Set(code.map(({ path }) => path));
  const graph = new Map(code.map((file) => [file.path, importedBy(file, known)]));
  return components(graph)
    .filter((circle) => circle.length > 1)
    .map((circle) => circle.toSorted().join(' <-> '))
    .toSorted();
}

function importedBy(file: SourceFile, known: ReadonlySet<string>): readonly string[] {
  return readSyntax(file)
    .imports.filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier))
    .filter((path) => known.has(path));
}

interface Visit {
  readonly index: number;
  low: number;
  onStack: boolean;
}

function components(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const visits = new Map<string, Visit>();
  const stack: string[] = [];
  const found: string[][] = [];

  function walk(path: string): Visit {
    const visit: Visit = { index: visits.size, low: visits.size, onStack: true };
    visits.set(path, visit);
    stack.push(path);
    for (const next of graph.get(path) ?? []) {
      const known = visits.get(next);
      if (known === undefined) visit.low = Math.min(visit.low, walk(next).low);
      else if (known.onStack) visit.low = Math.min(visit.low, known.index);
    }
    if (visit.low === visit.index) found.push(popUntil(path));
    return visit;
  }

  function popUntil(path: string): string[] {
    const component = stack.splice(stack.lastIndexOf(path));
    for (const member of component) {
      const visit = visits.get(member);
      if (visit !== undefined) visit.onStack = false;
    }
    return component;
  }

  for (const path of graph.keys()) if (!visits.has(path)) walk(path);
  return found;
}
