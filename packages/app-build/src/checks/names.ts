/** Breaches in the globals and members that a module uses. Globals are a closed list: what is not on it is refused. */
import { EXACT_MATH } from '@slipstream/app-realm';
import { findDeclarations, type Reference } from '../syntax/scopes.ts';
import { bare, isTree, memberName, nameOf, type Tree, walk } from '../syntax/tree.ts';
import type { Breach, RuleName } from './rules.ts';

const ALLOWED: ReadonlySet<string> = new Set([
  ...['undefined', 'NaN', 'Infinity', 'Object', 'Array', 'Number', 'Boolean', 'String', 'BigInt', 'JSON', 'Map', 'Set'],
  ...['Error', 'RangeError', 'TypeError', 'Uint8Array', 'isNaN', 'isFinite', 'parseInt'],
]);

const REFUSED: Readonly<Partial<Record<RuleName, readonly string[]>>> = {
  eval: ['eval'],
  function: ['Function'],
  date: ['Date', 'Temporal'],
  timer: [
    ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
    ...['queueMicrotask', 'performance'],
  ],
  promise: ['Promise'],
  intl: ['Intl'],
  weak: ['WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry'],
  process: ['process'],
  global: ['globalThis', 'global', 'window', 'self'],
  proxy: ['Proxy'],
  reflect: ['Reflect'],
  symbol: ['Symbol'],
  regexp: ['RegExp'],
  float: ['Float16Array', 'Float32Array', 'Float64Array', 'parseFloat', 'DataView'],
  'shared-memory': ['SharedArrayBuffer', 'Atomics'],
  'web-assembly': ['WebAssembly'],
  console: ['console'],
  network: ['fetch', 'WebSocket', 'XMLHttpRequest', 'EventSource'],
  require: ['require', 'module', 'exports'],
  arguments: ['arguments'],
};

const RULE_OF_GLOBAL: ReadonlyMap<string, RuleName> = new Map(
  Object.entries(REFUSED).flatMap(([rule, names]) => names.map((name) => [name, rule as RuleName] as const)),
);

const MEMBERS: Readonly<Partial<Record<RuleName, readonly string[]>>> = {
  locale: [
    ...['toLocaleString', 'toLocaleLowerCase', 'toLocaleUpperCase', 'toLocaleDateString', 'toLocaleTimeString'],
    ...['localeCompare', 'normalize', 'toLowerCase', 'toUpperCase'],
  ],
  'number-format': ['toFixed', 'toPrecision', 'toExponential'],
  prototype: [
    '__proto__',
    'constructor',
    '__defineGetter__',
    '__defineSetter__',
    '__lookupGetter__',
    '__lookupSetter__',
  ],
  repeat: ['repeat', 'padStart', 'padEnd'],
};

const RULE_OF_MEMBER: ReadonlyMap<string, RuleName> = new Map(
  Object.entries(MEMBERS).flatMap(([rule, names]) => names.map((name) => [name, rule as RuleName] as const)),
);

const DEFINERS: ReadonlySet<string> = new Set(['defineProperty', 'defineProperties', 'setPrototypeOf']);

export function findNameBreaches(program: Tree, references: readonly Reference[]): readonly Breach[] {
  const globals = new Map(references.filter(({ binding }) => binding === undefined).map((each) => [each.node, each]));
  const breaches = [...reservedNames(program, references)];
  walk(program, {
    enter(node, { parent }) {
      const global = globals.get(node);
      if (global !== undefined) breaches.push(...breachesOfGlobal(global));
      if (node.type === 'MemberExpression') breaches.push(...breachesOfMember(node, globals));
      if (node.type === 'Property') breaches.push(...breachesOfProperty(node, parent));
      if (/^(New|Call)Expression$/.test(node.type)) breaches.push(...breachesOfCall(node, globals));
      breaches.push(...changeOfLength(node));
    },
  });
  return breaches;
}

function reservedNames(program: Tree, references: readonly Reference[]): readonly Breach[] {
  return [...findDeclarations(program), ...references.map(({ node }) => node)]
    .filter((node) => nameOf(node)?.startsWith('$$'))
    .map((node) => ({ rule: 'reserved-name', at: node.start, name: String(node.name) }));
}

function breachesOfGlobal({ node, name, parent, key }: Reference): readonly Breach[] {
  if (ALLOWED.has(name) || name.startsWith('$$')) return [];
  const at = node.start;
  if (name !== 'Math') return [{ rule: RULE_OF_GLOBAL.get(name) ?? 'unknown-global', at, name }];
  const member = parent.type === 'MemberExpression' && key === 'object' ? memberName(parent) : undefined;
  if (member === undefined) return [{ rule: 'math-alias', at }];
  if (member === 'random') return [{ rule: 'random', at }];
  return (EXACT_MATH as readonly string[]).includes(member) ? [] : [{ rule: 'inexact-math', at, name: member }];
}

type Globals = ReadonlyMap<Tree, Reference>;

function isGlobal(node: unknown, name: string, globals: Globals): boolean {
  const found = bare(node);
  return found !== undefined && globals.get(found)?.name === name;
}

function breachesOfMember(node: Tree, globals: Globals): readonly Breach[] {
  const name = memberName(node);
  if (name === undefined) return [];
  const at = (node.property as Tree).start;
  const rule = RULE_OF_MEMBER.get(name);
  if (rule !== undefined) return [{ rule, at, name }];
  if (isGlobal(node.object, 'Object', globals) && DEFINERS.has(name)) return [{ rule: 'define-property', at, name }];
  return isGlobal(node.object, 'Number', globals) && name === 'parseFloat' ? [{ rule: 'float', at, name }] : [];
}

/** `{ __proto__: a }`, and `const { constructor } = a`. */
function breachesOfProperty(node: Tree, parent: Tree | undefined): readonly Breach[] {
  const key = node.key as Tree;
  const name = key.type === 'Literal' ? String(key.value) : node.computed === true ? undefined : nameOf(key);
  const rule = name === undefined ? undefined : RULE_OF_MEMBER.get(name);
  if (rule === undefined || (parent?.type === 'ObjectExpression' && name !== '__proto__')) return [];
  return [{ rule, at: key.start, name: String(name) }];
}

/** `Array(n)`, `new Array(n)`, `Array.from({ length: n })`, `new Uint8Array(n)`: one step, however long. */
function breachesOfCall({ callee, start, ...rest }: Tree, globals: Globals): readonly Breach[] {
  const breach: Breach = { rule: 'array-of-length', at: start };
  const first = bare((rest.arguments as readonly unknown[])[0]);
  if (isGlobal(callee, 'Array', globals)) return [breach];
  if (isGlobal(callee, 'Uint8Array', globals)) return isShort(first) ? [] : [breach];
  const called = bare(callee);
  if (called?.type !== 'MemberExpression' || memberName(called) !== 'from') return [];
  return isGlobal(called.object, 'Array', globals) && first?.type === 'ObjectExpression' ? [breach] : [];
}

const BYTES_MAX = 65_536;

/** No length, a literal one, or a list that has paid for its length. */
function isShort(argument: Tree | undefined): boolean {
  if (argument === undefined) return true;
  if (argument.type === 'Literal') return typeof argument.value !== 'number' || argument.value <= BYTES_MAX;
  return argument.type === 'ArrayExpression';
}

function changeOfLength(node: Tree): readonly Breach[] {
  const target =
    node.type === 'AssignmentExpression' ? node.left : node.type === 'UpdateExpression' ? node.argument : undefined;
  const changed = bare(target);
  if (!isTree(changed) || changed.type !== 'MemberExpression' || memberName(changed) !== 'length') return [];
  return [{ rule: 'set-length', at: changed.start }];
}
