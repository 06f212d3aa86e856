/**
 * Breaches that let an application remember an earlier action: what stands at the top of a module lives as long as its realm, and one node
 * may make a new realm where another goes on with its own.
 *
 * What these rules do not see, such as a change through another name, throws: the build freezes literals of the top (freeze.ts). State in
 * closures shows in tests that run each action in a new and a used realm.
 */
import type { Binding, Reference } from '../syntax/scopes.ts';
import { bare, isFunction, isTree, memberName, type Tree, walk } from '../syntax/tree.ts';
import type { Breach, RuleName } from './rules.ts';

const CHANGES_ARRAY: ReadonlySet<string> = new Set([
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
]);

export function findStateBreaches(program: Tree, references: readonly Reference[]): readonly Breach[] {
  const bindings = new Map(references.map(({ node, binding }) => [node, binding]));
  return [...breachesOfTop(program), ...changesOfModule(program, bindings)];
}

/** What the module evaluates itself: nothing inside functions, and no field of an instance. */
function breachesOfTop(program: Tree): readonly Breach[] {
  const breaches: Breach[] = [];
  const isLater = (node: Tree) => isFunction(node) || node.type === 'ClassBody';
  let functions = 0;
  let blocks = 0;
  walk(program, {
    enter(node, { key }) {
      const rule = ruleAgainst(node, {
        isTop: functions === 0,
        isBlock: blocks > 0 || key === 'init' || key === 'left',
      });
      if (rule !== undefined) breaches.push({ rule, at: node.start });
      if (isLater(node)) functions++;
      if (node.type === 'BlockStatement') blocks++;
    },
    leave(node) {
      if (isLater(node)) functions--;
      if (node.type === 'BlockStatement') blocks--;
    },
  });
  return breaches;
}

function ruleAgainst(node: Tree, { isTop, isBlock }: { isTop: boolean; isBlock: boolean }): RuleName | undefined {
  if (node.type === 'StaticBlock' || (node.type === 'PropertyDefinition' && node.static === true))
    return 'static-member';
  if (!isTop) return undefined;
  if (node.type === 'VariableDeclaration' && node.kind === 'var') return 'top-level-var';
  if (node.type === 'VariableDeclaration' && node.kind === 'let' && !isBlock) return 'top-level-let';
  if (node.type === 'NewExpression') return 'top-level-new';
  const callee = node.type === 'CallExpression' ? bare(node.callee) : undefined;
  return callee !== undefined && isFunction(callee) ? 'top-level-closure' : undefined;
}

type Bindings = ReadonlyMap<Tree, Binding | undefined>;

/** Assignments, `++`, `delete` and changing methods on what a name of the module, or a global, holds. */
function changesOfModule(program: Tree, bindings: Bindings): readonly Breach[] {
  const breaches: Breach[] = [];
  walk(program, {
    enter(node) {
      for (const { target, isMember } of changed(node)) {
        const root = rootOf(target);
        if (root === undefined || !bindings.has(root)) continue;
        const binding = bindings.get(root);
        const outlives = binding === undefined ? isMember : binding.ofModule;
        if (outlives && binding?.kind !== 'let')
          breaches.push({ rule: 'module-state', at: node.start, name: String(root.name) });
      }
      const array = changedArray(node, bindings);
      if (array !== undefined) breaches.push({ rule: 'module-state', at: node.start, name: array });
    },
  });
  return breaches;
}

interface Change {
  readonly target: Tree;
  readonly isMember: boolean;
}

function changed(node: Tree): readonly Change[] {
  switch (node.type) {
    case 'AssignmentExpression':
      return targetsIn(node.left);
    case 'ForOfStatement':
    case 'ForInStatement':
      return targetsIn(node.left);
    case 'UpdateExpression':
      return targetsIn(node.argument);
    case 'UnaryExpression':
      return node.operator === 'delete' ? targetsIn(node.argument) : [];
    default:
      return [];
  }
}

/** Names and members that an assignment's left side, or a pattern there, writes to. */
function targetsIn(left: unknown): readonly Change[] {
  const target = bare(left);
  switch (target?.type) {
    case 'Identifier':
      return [{ target, isMember: false }];
    case 'MemberExpression':
      return [{ target, isMember: true }];
    case 'ObjectPattern':
      return (target.properties as readonly Tree[]).flatMap(({ value, argument }) => targetsIn(value ?? argument));
    case 'ArrayPattern':
      return (target.elements as readonly unknown[]).flatMap(targetsIn);
    case 'AssignmentPattern':
      return targetsIn(target.left);
    case 'RestElement':
      return targetsIn(target.argument);
    default:
      return [];
  }
}

/** The name in front: `a` of `a.b[c].d`. */
function rootOf(target: Tree | undefined): Tree | undefined {
  if (target?.type === 'Identifier') return target;
  return target?.type === 'MemberExpression' ? rootOf(bare(target.object)) : undefined;
}

/** `list.push(x)` where the module has `const list = [...]`. Tables have methods of their own. */
function changedArray(node: Tree, bindings: Bindings): string | undefined {
  const callee = node.type === 'CallExpression' ? bare(node.callee) : undefined;
  if (callee?.type !== 'MemberExpression' || !CHANGES_ARRAY.has(memberName(callee) ?? '')) return undefined;
  const root = rootOf(bare(callee.object));
  const binding = root === undefined ? undefined : bindings.get(root);
  const init = bare(binding?.init);
  const isLiteral = isTree(init) && /^(Array|Object)Expression$/.test(init.type);
  return binding?.ofModule && isLiteral ? binding.name : undefined;
}
