/**
 *   mutation's module --parse--> { within, inside, replace: (holes) => [expression, replacement] }
 *                                        \--search the folder--> exactly one place --> replacement text
 *
 * A change names code only by types, imports and properties. So it survives moved files, renamed local variables, formatting, comments, and
 * tool renames of exports and properties. Otherwise the type check or test/architecture fails, by name.
 */
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRepository, root } from '../../architecture/repository.ts';
import { isTree, lineFinder, type Tree, visit } from '../../architecture/tree.ts';
import { type Bindings, isWrapper, match, type Pattern } from './patterns.ts';
import { type Module, type ReadChange, readModule, readMutations } from './read-mutations.ts';

export interface Edit {
  /** In the repository. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Mutated {
  readonly mutation: string;
  readonly edits: readonly Edit[];
  readonly faults: readonly string[];
}

const folder = relative(root, dirname(fileURLToPath(import.meta.url)));

/** Default: all. */
export function findEdits(names?: readonly string[]): readonly Mutated[] {
  const sources = createSources();
  return sources
    .of(folder)
    .flatMap(readMutations)
    .filter(({ name }) => names === undefined || names.includes(name))
    .map(({ name, changes }) => {
      const edits: Edit[] = [];
      const faults: string[] = [];
      for (const [at, change] of changes.entries()) {
        const found = editsOf(change, sources.of(change.within));
        if (typeof found === 'string') faults.push(`mutation ${name}, change ${at + 1}: ${found}`);
        else edits.push(...found);
      }
      return { mutation: name, edits, faults };
    });
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  const backwards = [...edits].sort((a, b) => b.start - a.start);
  return backwards.reduce((left, { start, end, text: put }) => left.slice(0, start) + put + left.slice(end), text);
}

function createSources() {
  const modules = new Map<string, readonly Module[]>();
  return {
    of(within: string): readonly Module[] {
      const known = modules.get(within);
      if (known !== undefined) return known;
      const read = readRepository(within)
        .filter(({ path }) => path.endsWith('.ts'))
        .map(readModule);
      modules.set(within, read);
      return read;
    },
  };
}

interface Place {
  readonly module: Module;
  readonly tree: Tree;
  readonly bindings: Bindings;
}

export function editsOf(change: ReadChange, modules: readonly Module[]): readonly Edit[] | string {
  const { within, inside, everywhere, pattern, text } = change;
  const wanted = text.slice(pattern.tree.start, pattern.tree.end);
  const scopes = modules.flatMap((module) => scopesOf(module, inside).map((scope) => ({ module, scope })));
  if (scopes.length === 0) return `the symbol ${inside.join(' > ')} is gone from ${within}`;
  const places = scopes.flatMap(({ module, scope }) => placesIn(module, scope, pattern));
  const where = inside.length === 0 ? within : `${inside.join(' > ')} of ${within}`;
  if (places.length === 0) return `nothing in ${where} is like "${wanted}" any more`;
  if (places.length > 1 && !everywhere) {
    const lines = places.map(({ module, tree }) => `${module.path}:${lineFinder(module.text)(tree.start)}`);
    return `"${wanted}" is not unique in ${where}: ${lines.join(', ')}`;
  }
  const edits: Edit[] = [];
  for (const place of places) {
    const put = instantiate(change, place);
    if (typeof put !== 'string') return `the replacement uses ${put.unbound}, which is not in "${wanted}"`;
    const { module, tree } = place;
    edits.push({ path: module.path, start: tree.start, end: tree.end, text: `(${put})` });
  }
  return edits;
}

/** Of the last name, inside those of the earlier ones; without names the module. */
function scopesOf({ program }: Module, names: readonly string[]): readonly Tree[] {
  return names.reduce<readonly Tree[]>(
    (outer, name) => outer.flatMap((scope) => declarationsOf(name, scope)),
    [program],
  );
}

function declarationsOf(name: string, scope: Tree): readonly Tree[] {
  const found: Tree[] = [];
  visit(scope, (node) => {
    const { type, id, key } = node;
    const declared = type === 'Property' || type === 'MethodDefinition' ? key : id;
    if (isTree(declared) && declared.type === 'Identifier' && declared.name === name && !type.startsWith('TS')) {
      found.push(node);
    }
  });
  return found;
}

function placesIn(module: Module, scope: Tree, pattern: Pattern): readonly Place[] {
  const places: Place[] = [];
  visit(scope, (tree, key, parent) => {
    const isName = tree.type === 'Identifier' && (key === 'property' || key === 'key' || parent?.shorthand === true);
    const isSeenAlready = parent !== undefined && isWrapper(parent);
    if (isName || isSeenAlready) return;
    const bindings = match(pattern, { tree, nameOf: module.nameOf });
    if (bindings !== undefined) places.push({ module, tree, bindings });
  });
  return places;
}

/** A replacement may use them even if the expression does not. */
const globalNames = new Set(['undefined', 'Promise']);

function instantiate(
  { replacement, pattern, text }: ReadChange,
  { module, bindings }: Place,
): string | { readonly unbound: string } {
  const edits: Edit[] = [];
  let unbound: string | undefined;
  visit(replacement, (node, key, parent) => {
    const { type, name, start, end } = node;
    // Only for the mutation's type check.
    if (isWrapper(node) && type.startsWith('TS')) {
      edits.push({ path: '', start: (node.expression as Tree).end, end, text: '' });
    }
    const isName = (key === 'property' || key === 'key') && parent?.computed === false;
    if (type !== 'Identifier' || isName || key === 'typeName') return;
    const bound = bindings.get(String(name));
    if (bound !== undefined) {
      const put = module.text.slice(bound.start, bound.end);
      const needsNoParentheses = bound.type === 'Identifier' || bound.type === 'MemberExpression';
      edits.push({ path: '', start, end, text: needsNoParentheses ? put : `(${put})` });
    } else if (pattern.holes.has(String(name)) || !globalNames.has(String(name))) unbound = String(name);
  });
  if (unbound !== undefined) return { unbound };
  const from = replacement.start;
  const shifted = edits.map((edit) => ({ ...edit, start: edit.start - from, end: edit.end - from }));
  return applyEdits(text.slice(from, replacement.end), shifted);
}
