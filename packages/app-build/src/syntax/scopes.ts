/** Which declaration a name of a module means, so that a parameter `Date` is no use of the global one. */
import { isFunction, isTree, nameOf, type Place, type Tree, walk } from './tree.ts';

export interface Binding {
  readonly name: string;
  readonly kind: 'import' | 'let' | 'const' | 'var' | 'function' | 'class' | 'parameter' | 'other';
  /** Of the module itself, not of a function or block. */
  readonly ofModule: boolean;
  /** Of a variable. */
  readonly init: Tree | undefined;
}

export interface Reference {
  readonly node: Tree;
  readonly name: string;
  readonly parent: Tree;
  readonly key: string;
  /** Undefined: a global. */
  readonly binding: Binding | undefined;
}

interface Scope {
  readonly outer: Scope | undefined;
  readonly isFunction: boolean;
  readonly names: Map<string, Binding>;
}

export function findReferences(program: Tree): readonly Reference[] {
  const { scopes, declared } = declareAll(program);
  const references: Reference[] = [];
  const open: Scope[] = [];
  walk(program, {
    enter(node, { key, parent }) {
      const scope = scopes.get(node);
      if (scope !== undefined) open.push(scope);
      const name = nameOf(node);
      if (name === undefined || parent === undefined || declared.has(node) || isPropertyName(key, parent)) return;
      references.push({ node, name, parent, key, binding: lookUp(open.at(-1), name) });
    },
    leave(node) {
      if (scopes.has(node)) open.pop();
    },
  });
  return references;
}

/** Names of all declarations, with their places. */
export function findDeclarations(program: Tree): readonly Tree[] {
  return [...declareAll(program).declared];
}

function lookUp(scope: Scope | undefined, name: string): Binding | undefined {
  for (let at = scope; at !== undefined; at = at.outer) {
    const found = at.names.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const SCOPES =
  /^(Program|BlockStatement|StaticBlock|For(Of|In)?Statement|SwitchStatement|CatchClause|Class(Declaration|Expression)|TSModuleBlock)$/;

function declareAll(program: Tree) {
  const scopes = new Map<Tree, Scope>();
  const declared = new Set<Tree>();
  const open: Scope[] = [];

  function declare(scope: Scope, pattern: unknown, kind: Binding['kind'], init?: Tree): void {
    for (const node of namesIn(pattern)) {
      declared.add(node);
      const name = String(node.name);
      scope.names.set(name, { name, kind, ofModule: scope.outer === undefined, init });
    }
  }

  function declareIn(scope: Scope, node: Tree, { key, parent }: Place): void {
    const { type } = node;
    if (type === 'VariableDeclarator') {
      const kind = parent?.kind as 'let' | 'const' | 'var';
      declare(kind === 'var' ? functionScope(scope) : scope, node.id, kind, isTree(node.init) ? node.init : undefined);
    } else if (type === 'FunctionDeclaration') declare(scope, node.id, 'function');
    else if (type === 'ClassDeclaration') declare(scope, node.id, 'class');
    else if (/^Import(Default|Namespace)?Specifier$/.test(type)) declare(scope, node.local, 'import');
    else if (/^TS(Enum|Module|ImportEquals)Declaration$/.test(type)) declare(scope, node.id, 'other');
    else if (type === 'ExportSpecifier' && isTree(parent?.source)) declared.add(node.local as Tree);
    else if (key === 'label') declared.add(node);
  }

  walk(program, {
    enter(node, place) {
      const outer = open.at(-1);
      if (outer !== undefined) declareIn(outer, node, place);
      if (!SCOPES.test(node.type) && !isFunction(node)) return;
      const scope: Scope = { outer, isFunction: isFunction(node) || outer === undefined, names: new Map() };
      scopes.set(node, scope);
      open.push(scope);
      if (/Expression$/.test(node.type)) declare(scope, node.id, 'other');
      if (isFunction(node))
        for (const parameter of node.params as readonly Tree[]) declare(scope, parameter, 'parameter');
      if (node.type === 'CatchClause') declare(scope, node.param, 'parameter');
    },
    leave(node) {
      if (scopes.has(node)) open.pop();
    },
  });
  return { scopes, declared };
}

function functionScope(scope: Scope): Scope {
  return scope.isFunction || scope.outer === undefined ? scope : functionScope(scope.outer);
}

/** Identifiers that a pattern declares. */
function namesIn(pattern: unknown): readonly Tree[] {
  if (!isTree(pattern)) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return (pattern.properties as readonly Tree[]).flatMap((property) =>
        namesIn(property.value ?? property.argument),
      );
    case 'ArrayPattern':
      return (pattern.elements as readonly unknown[]).flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'TSParameterProperty':
      return namesIn(pattern.parameter);
    default:
      return [];
  }
}

/** `.name`, `{ name: ... }`, a name that is imported or exported as, a label. */
function isPropertyName(key: string, parent: Tree): boolean {
  switch (parent.type) {
    case 'MemberExpression':
      return key === 'property' && parent.computed !== true;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'AccessorProperty':
      return key === 'key' && parent.computed !== true;
    case 'ImportSpecifier':
      return key === 'imported';
    case 'ExportSpecifier':
      return key === 'exported';
    case 'MetaProperty':
    case 'ImportAttribute':
    case 'TSEnumMember':
    case 'ExportAllDeclaration':
      return key !== 'initializer';
    default:
      return key === 'label';
  }
}
