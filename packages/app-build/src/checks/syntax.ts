/** Breaches that the kind of a node shows. */
import { nameOf, type Tree, walk } from '../syntax/tree.ts';
import type { Breach, RuleName } from './rules.ts';

/** Forbidden wherever they stand. */
const FORBIDDEN: Readonly<Record<string, RuleName>> = {
  AccessorProperty: 'accessor',
  AwaitExpression: 'await',
  DebuggerStatement: 'debugger',
  Decorator: 'decorator',
  ForInStatement: 'for-in',
  ImportExpression: 'dynamic-import',
  TryStatement: 'try',
  TSEnumDeclaration: 'enum',
  TSModuleDeclaration: 'namespace',
  WithStatement: 'with',
  YieldExpression: 'yield',
};

export function findSyntaxBreaches(program: Tree): readonly Breach[] {
  const breaches: Breach[] = [];
  walk(program, {
    enter(node) {
      const rule = FORBIDDEN[node.type] ?? ruleAgainst(node);
      if (rule !== undefined) breaches.push({ rule, at: node.start, name: String(node.raw) });
    },
  });
  return breaches;
}

function ruleAgainst(node: Tree): RuleName | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.async === true ? 'async' : node.generator === true ? 'generator' : undefined;
    case 'ForOfStatement':
      return node.await === true ? 'await' : undefined;
    case 'Literal':
      return ruleAgainstLiteral(node);
    case 'BinaryExpression':
      return node.operator === '**' ? 'power' : undefined;
    case 'AssignmentExpression':
      return node.operator === '**=' ? 'power' : undefined;
    case 'Property':
    case 'MethodDefinition':
      return node.kind === 'get' || node.kind === 'set' ? 'accessor' : undefined;
    case 'VariableDeclaration':
      return /using$/.test(String(node.kind)) ? 'using' : undefined;
    case 'UnaryExpression':
      return node.operator === 'delete' && nameOf(node.argument) !== undefined ? 'delete-name' : undefined;
    case 'MetaProperty':
      return nameOf(node.meta) === 'import' ? 'import-meta' : undefined;
    default:
      return undefined;
  }
}

function ruleAgainstLiteral({ value, regex }: Tree): RuleName | undefined {
  if (regex !== undefined) return 'regular-expression';
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return undefined;
  return Number.isInteger(value) ? 'unsafe-integer' : 'fraction';
}
