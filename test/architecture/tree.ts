/** Syntax tree of a module, by the parser inside Vite (oxc), which is installed for the console. */
import { parseSync } from 'vite';
import type { SourceFile } from './repository.ts';

export type Tree = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

export interface Comment {
  readonly value: string;
  readonly start: number;
}

/** Throws when the text is no module. */
export function parse({ path, text }: SourceFile): { readonly program: Tree; readonly comments: readonly Comment[] } {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors.map(({ message }) => message).join('; ')}`);
  return { program: program as unknown as Tree, comments };
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export type Visitor = (node: Tree, key: string, parent?: Tree, grandparent?: Tree) => void;

export function visit(node: unknown, see: Visitor, key = '', parent?: Tree, grandparent?: Tree): void {
  if (Array.isArray(node)) for (const element of node) visit(element, see, key, parent, grandparent);
  if (!isTree(node)) return;
  see(node, key, parent, grandparent);
  for (const [name, child] of Object.entries(node)) visit(child, see, name, node, parent);
}

/** From 1. */
export function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
