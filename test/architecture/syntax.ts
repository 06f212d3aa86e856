/** Facts about a module from its syntax tree, so that words in comments and strings are no uses. */
import type { SourceFile } from './repository.ts';
import { isTree, lineFinder, parse, type Tree, visit } from './tree.ts';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** `import type`, `export type ... from`, `import('x').T`. */
  readonly typeOnly: boolean;
}

export interface Use {
  readonly name: string;
  readonly line: number;
}

export interface Syntax {
  readonly imports: readonly Import[];
  /** Globals, with one member: `Date`, `Math.random`, `it.skip`. */
  readonly globals: readonly Use[];
  /** Also of imported names. */
  readonly chains: readonly Use[];
  readonly anyTypes: readonly number[];
  readonly comments: readonly Use[];
  /** Literals and fixed parts of templates, without attributes of JSX. */
  readonly strings: readonly Use[];
}

export function readSyntax(file: SourceFile): Syntax {
  const { program, comments } = parse(file);
  const lineOf = lineFinder(file.text);
  const imports: Import[] = [];
  const chains: Use[] = [];
  const anyTypes: number[] = [];
  const strings: Use[] = [];
  const declared = new Set<string>();
  visit(program, (node, key, parent, grandparent) => {
    const line = lineOf(node.start);
    const imported = readImport(node);
    if (imported !== undefined) imports.push({ ...imported, line });
    if (node.type === 'TSAnyKeyword') anyTypes.push(line);
    const text = parent?.type === 'JSXAttribute' ? undefined : readString(node);
    if (text !== undefined) strings.push({ name: text, line });
    if (node.type !== 'Identifier' || typeof node.name !== 'string') return;
    if (isBinding(key, parent, grandparent)) declared.add(node.name);
    else if (!isPropertyName(parent, key)) chains.push({ name: chainName(node.name, parent, key), line });
  });
  return {
    imports,
    chains,
    globals: chains.filter(({ name }) => !declared.has(name.split('.')[0] ?? name)),
    anyTypes,
    comments: comments.map(({ value, start }) => ({ name: value, line: lineOf(start) })),
    strings,
  };
}

function readString(node: Tree): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  const value = node.type === 'TemplateElement' ? (node.value as { readonly cooked?: string | null }) : undefined;
  return value?.cooked ?? undefined;
}

function readImport(node: Tree): Omit<Import, 'line'> | undefined {
  const source = isTree(node.source) ? node.source.value : undefined;
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration': {
      const typeOnly = node.importKind === 'type' || node.exportKind === 'type';
      return typeof source === 'string' ? { specifier: source, typeOnly } : undefined;
    }
    case 'ImportExpression':
      return { specifier: typeof source === 'string' ? source : '(computed)', typeOnly: false };
    case 'TSImportType':
      return typeof source === 'string' ? { specifier: source, typeOnly: true } : undefined;
    case 'CallExpression': {
      const [first] = Array.isArray(node.arguments) ? node.arguments : [];
      const named =
        isTree(node.callee) && node.callee.name === 'require' && isTree(first) && typeof first.value === 'string';
      return named ? { specifier: String(first.value), typeOnly: false } : undefined;
    }
    default:
      return undefined;
  }
}

function isBinding(key: string, parent?: Tree, grandparent?: Tree): boolean {
  switch (parent?.type) {
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
      return key === 'local';
    case 'VariableDeclarator':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return key === 'id' || key === 'params';
    case 'ArrowFunctionExpression':
    case 'TSFunctionType':
    case 'TSMethodSignature':
    case 'TSEmptyBodyFunctionExpression':
      return key === 'params';
    case 'AssignmentPattern':
      return key === 'left';
    case 'RestElement':
      return key === 'argument';
    case 'ArrayPattern':
      return key === 'elements';
    case 'CatchClause':
      return key === 'param';
    case 'Property':
      return key === 'value' && grandparent?.type === 'ObjectPattern';
    default:
      return false;
  }
}

/** `.name`, `{ name: ... }`, a method or a label. */
function isPropertyName(parent: Tree | undefined, key: string): boolean {
  if (parent === undefined) return false;
  if (parent.type === 'MemberExpression') return key === 'property' && parent.computed !== true;
  if (key === 'key') return parent.computed !== true;
  if (parent.type === 'TSQualifiedName') return key === 'right';
  return ['imported', 'exported', 'label', 'parameterName', 'memberName'].includes(key);
}

function chainName(name: string, parent: Tree | undefined, key: string): string {
  if (parent?.type !== 'MemberExpression' || key !== 'object' || !isTree(parent.property)) return name;
  const member = parent.computed === true ? parent.property.value : parent.property.name;
  return typeof member === 'string' ? `${name}.${member}` : name;
}
