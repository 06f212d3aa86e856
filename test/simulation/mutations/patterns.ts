/**
 * Patterns: expressions with holes, compared by their syntax trees, so that formatting, comments and names of local variables
 * do not matter, nor types, parentheses and casts.
 */
import { isTree, type Tree } from '../../architecture/tree.ts';

export interface Pattern {
  readonly tree: Tree;
  readonly holes: ReadonlySet<string>;
  /** What a name of the pattern's module is called where it comes from. */
  readonly nameOf: (local: string) => string;
}

export interface Target {
  readonly tree: Tree;
  readonly nameOf: (local: string) => string;
}

/** By name: what stands in the place of a hole, or of an imported or global name. */
export type Bindings = ReadonlyMap<string, Tree>;

/** Undefined when the target is another expression. */
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

/** The same expression, name by name. */
function isEqual(one: Tree, other: Tree): boolean {
  const names = { holes: new Set<string>(), nameOf: (local: string) => local };
  return match({ ...names, tree: one }, { ...names, tree: other }) !== undefined;
}

/** Of literals that are no trees: texts, numbers, flags, bigints; of a regular expression its parts. */
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

/** Parentheses, a cast: the expression inside is the same one. */
export function isWrapper({ type }: Tree): boolean {
  return wrappers.has(type);
}

function unwrapped(tree: Tree): Tree {
  return isWrapper(tree) && isTree(tree.expression) ? unwrapped(tree.expression) : tree;
}

/** Where it stands, how it was written, and its types make no other expression. */
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
