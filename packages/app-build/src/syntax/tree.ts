/** A script's or module's syntax tree, by rolldown's parser (ESTree, with TypeScript's nodes). */
import { parseSync } from 'rolldown/utils';

export type Tree = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

interface SyntaxFault {
  readonly message: string;
  readonly at: number;
}

interface Parsed {
  readonly program: Tree;
  readonly faults: readonly SyntaxFault[];
}

/** Offsets are of UTF-16 code units, as in JavaScript's strings. */
export function parseModule(path: string, text: string): Parsed {
  return parse(
    path,
    text,
    path.endsWith('ts') ? { lang: 'ts', sourceType: 'module' } : { lang: 'js', sourceType: 'module' },
  );
}

export function parseScript(text: string): Parsed {
  return parse('script.js', text, { lang: 'js', sourceType: 'script' });
}

function parse(path: string, text: string, options: Parameters<typeof parseSync>[2]): Parsed {
  const { program, errors } = parseSync(path, text, options);
  const faults = errors.map(({ message, labels }) => ({ message, at: labels[0]?.start ?? 0 }));
  return { program: program as unknown as Tree, faults };
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** TypeScript's nodes that are code, or hold some. All others are types, and not visited. */
const CODE_OF_TYPESCRIPT: ReadonlySet<string> = new Set([
  ...['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion', 'TSInstantiationExpression'],
  ...['TSEnumDeclaration', 'TSEnumBody', 'TSEnumMember', 'TSModuleDeclaration', 'TSModuleBlock', 'TSParameterProperty'],
  ...['TSExportAssignment', 'TSImportEqualsDeclaration', 'TSExternalModuleReference'],
]);

function isCode(node: Tree): boolean {
  if (node.type.startsWith('TS') && !CODE_OF_TYPESCRIPT.has(node.type)) return false;
  return node.declare !== true && node.importKind !== 'type' && node.exportKind !== 'type';
}

export interface Place {
  /** The field of the parent; undefined for the root. */
  readonly key: string;
  readonly parent: Tree | undefined;
}

interface Visitor {
  enter?(node: Tree, place: Place): void;
  leave?(node: Tree, place: Place): void;
}

/** Visits all code in the order of the text, types left out. */
export function walk(node: Tree, visitor: Visitor, place: Place = { key: '', parent: undefined }): void {
  visitor.enter?.(node, place);
  for (const { key, child } of childrenOf(node)) walk(child, visitor, { key, parent: node });
  visitor.leave?.(node, place);
}

function childrenOf(node: Tree): readonly { readonly key: string; readonly child: Tree }[] {
  return Object.entries(node).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter(isTree)
      .filter(isCode)
      .map((child) => ({ key, child })),
  );
}

export function isFunction({ type }: Tree): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

export function isLoop({ type }: Tree): boolean {
  return /^(For|ForOf|ForIn|While|DoWhile)Statement$/.test(type);
}

/** The name of an identifier, else undefined. */
export function nameOf(node: unknown): string | undefined {
  return isTree(node) && node.type === 'Identifier' ? String(node.name) : undefined;
}

/** Without what TypeScript, parentheses and `?.` put around it. */
export function bare(node: unknown): Tree | undefined {
  if (!isTree(node)) return undefined;
  return /^(TS\w+|Parenthesized|Chain)Expression$/.test(node.type) || node.type === 'TSTypeAssertion'
    ? bare(node.expression)
    : node;
}

/** `a.name` and `a['name']`; undefined where it is computed. */
export function memberName(node: Tree): string | undefined {
  const { property, computed } = node;
  if (!isTree(property)) return undefined;
  if (computed !== true) return typeof property.name === 'string' ? property.name : undefined;
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined;
}

/** From 1. */
export function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line++;
  return line;
}
