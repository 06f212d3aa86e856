/** Expressions with holes. Comparison ignores formatting, comments, local names, types, parentheses and casts. */
import { isTree, type Tree } from '../../architecture/tree.ts';

export interface Pattern {
  readonly tree: Tree;
  readonly holes: ReadonlySet<string>;
  /** Exported name of a local one in the pattern's module. */
  readonly nameOf: (local: string) => string;
}

export interface Target {
  readonly tree: Tree;
  readonly nameOf: (local: string) => string;
}

/** Matched expressions by hole, imported or global name. */
export type Bindings = ReadonlyMap<string, Tree>;

/** Undefined: another expression. */
export function match(pattern: Pattern, target: Target): Bindings | undefined {
  const bindings = new Map<string, Tree>();
  return isSame(pattern.tree, target.tree) ? bindings : undefined;

  function isSame(wanted: unknown, found: unknown): boolean {
    if (Array.isArray(wanted)) {
      return (
        Array.isArray(found) && wanted.length === found.length && wanted.every((each, at) => isSame(each, found[at]))
      );
    }
    if (!isTree(wanted) || !isTree(found)) return isSameValue(wanted, found);
    const [bare, other] = [unwrapped(wanted), unwrapped(found)];
    if (bare.type === 'Identifier') return isSameName(bare, other);
    return bare.type === other.type && keysOf(bare).every((key) => isSamePart(bare, other, key));
  }

  function isSamePart(wanted: Tree, found: Tree, key: string): boolean {
    const isPropertyName = (key === 'property' || key === 'key') && wanted.computed === false;
    const [name, other] = [wanted[key], found[key]];
    if (isPropertyName && isTree(name) && isTree(other)) return name.name === other.name && name.value === other.value;
    return isSame(name, other);
  }

  function isSameName(wanted: Tree, found: Tree): boolean {
    const name = String(wanted.name);
    const bound = bindings.get(name);
    if (bound !== undefined) return isEqual(bound, found);
    const isMatch =
      pattern.holes.has(name) ||
      (found.type === 'Identifier' && pattern.nameOf(name) === target.nameOf(String(found.name)));
    if (isMatch) bindings.set(name, found);
    return isMatch;
  }
}

/** Strict, with names. */
function isEqual(one: Tree, other: Tree): boolean {
  const names = { holes: new Set<string>(), nameOf: (local: string) => local };
  return match({ ...names, tree: one }, { ...names, tree: other }) !== undefined;
}

/** Regular expressions by their parts. */
function isSameValue(wanted: unknown, found: unknown): boolean {
  if (typeof wanted === 'object' && wanted !== null) return JSON.stringify(wanted) === JSON.stringify(found);
  return Object.is(wanted, found);
}

const wrappers = new Set([
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'ChainExpression',
]);

/** Parentheses or a cast. */
export function isWrapper({ type }: Tree): boolean {
  return wrappers.has(type);
}

function unwrapped(tree: Tree): Tree {
  return isWrapper(tree) && isTree(tree.expression) ? unwrapped(tree.expression) : tree;
}

/** Position, notation, types. */
const withoutMeaning = new Set([
  'type',
  'start',
  'end',
  'raw',
  'shorthand',
  'typeAnnotation',
  'typeArguments',
  'typeParameters',
  'returnType',
]);

function keysOf(tree: Tree): readonly string[] {
  return Object.keys(tree).filter((key) => !withoutMeaning.has(key));
}
