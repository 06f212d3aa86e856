/** One source for each thing that is forbidden. The line of it ends in "// here". */
import type { RuleName } from '../src/index.ts';

export interface Case {
  readonly rule: RuleName;
  readonly code: string;
  /** In the message. */
  readonly says: string;
}

const one = (rule: RuleName, code: string, says: string): Case => ({ rule, code, says });

/** Code inside a function. */
const inside = (rule: RuleName, code: string, says: string): Case =>
  one(rule, `export function f(x, y) {\n  ${code} // here\n}`, says);

const SYNTAX: readonly Case[] = [
  one('async', 'export const f =\n  async () => 1; // here', 'an async function'),
  one('async', 'export const o = {\n  async run() {}, // here\n};', 'an async function'),
  one('await', 'export const a =\n  await 1; // here', 'await'),
  one('await', 'export async function f(list) {\n  for await (const x of list) f(x); // here\n}', 'await'),
  one('generator', '\nexport function* f() {} // here', 'a generator function'),
  one('yield', 'export function* f() {\n  yield 1; // here\n}', 'yield'),
  inside('try', 'try { x(); } catch {}', 'try'),
  inside('try', 'try { x(); } finally { y(); }', 'try'),
  inside('regular-expression', 'return /a+/.test(x);', 'a regular expression'),
  inside('power', 'return x ** 2;', '**'),
  inside('power', 'let a = x; a **= 2;', '**'),
  inside('fraction', 'return x * 0.5;', 'the fraction 0.5'),
  inside('fraction', 'return 1e-3;', 'the fraction 1e-3'),
  inside('unsafe-integer', 'return 9007199254740993;', '9007199254740993'),
  inside('with', 'with (x) y();', 'with'),
  inside('for-in', 'for (const k in x) y(k);', 'for ... in'),
  inside('accessor', 'return { get a() { return x; } };', 'a getter or setter'),
  inside('accessor', 'return class { set a(b) {} };', 'a getter or setter'),
  one('decorator', 'function d() {}\n@d class A {} // here\nexport { A };', 'a decorator'),
  inside('debugger', 'debugger;', 'debugger'),
  one('enum', '\nexport enum Side { Buy, Sell } // here', 'an enum'),
  one('namespace', '\nexport namespace N { export const a = 1; } // here', 'a namespace'),
  inside('using', 'using a = x;', 'using'),
  inside('delete-name', 'let a = x; delete a;', 'delete of a name'),
  inside('dynamic-import', "return import('./other.ts');", 'import()'),
  inside('import-meta', 'return import.meta.url;', 'import.meta'),
];

const STATE: readonly Case[] = [
  one('top-level-let', '\nexport let count = 0; // here', 'let at the top of a module'),
  one('top-level-var', '\nexport var count = 0; // here', 'var at the top of a module'),
  one('top-level-var', 'for (const x of [1])\n  { var last = x; } // here', 'var at the top of a module'),
  one('top-level-new', '\nexport const seen = new Map(); // here', 'new at the top of a module'),
  one('top-level-new', 'export const all = {\n  seen: new Set(), // here\n};', 'new at the top of a module'),
  one(
    'top-level-closure',
    '\nexport const next = (() => { let n = 0; return () => n++; })(); // here',
    'a function that is called where it is written',
  ),
  one('module-state', 'const memory = {};\nexport function f(x) {\n  memory[x] = 1; // here\n}', 'a change of memory'),
  one(
    'module-state',
    'const memory = { n: 0 };\nexport function f() {\n  memory.n++; // here\n}',
    'a change of memory',
  ),
  one(
    'module-state',
    'const memory = { n: 0 };\nexport function f() {\n  delete memory.n; // here\n}',
    'a change of memory',
  ),
  one('module-state', 'const list = [];\nexport function f(x) {\n  list.push(x); // here\n}', 'a change of list'),
  one(
    'module-state',
    'const all = { list: [] };\nexport function f(x) {\n  all.list.push(x); // here\n}',
    'a change of all',
  ),
  one('module-state', 'export function f() {\n  f.calls = 1; // here\n}', 'a change of f'),
  one('module-state', 'const m = {};\nexport function f(x) {\n  [m.a, m.b] = x; // here\n}', 'a change of m'),
  one('module-state', 'const m = {};\nexport function f(x) {\n  for (m.a of x); // here\n}', 'a change of m'),
  inside('module-state', 'Array.prototype.last = x;', 'a change of Array'),
  one('static-member', 'export class A {\n  static count = 0; // here\n}', 'a static member'),
  one('static-member', 'export class A {\n  static {} // here\n}', 'a static member'),
];

const IMPORTS: readonly Case[] = [
  one(
    'node-import',
    "\nimport { readFileSync } from 'node:fs'; // here\nexport { readFileSync };",
    "Node's module 'node:fs'",
  ),
  one('node-import', "\nimport fs from 'fs'; // here\nexport { fs };", "Node's module 'fs'"),
  one('foreign-import', "\nimport pad from 'left-pad'; // here\nexport { pad };", "the import of 'left-pad'"),
  one('foreign-import', "\nexport * from 'left-pad'; // here", "the import of 'left-pad'"),
  one(
    'foreign-import',
    "\nimport { createProgram } from '@slipstream/app/program'; // here\nexport { createProgram };",
    'app/program',
  ),
  one('foreign-import', "\nimport a = require('./a.js'); // here\nexport { a };", "'./a.js'"),
  one('file-import', "\nimport data from './data.json'; // here\nexport { data };", "'./data.json'"),
  one(
    'import-attribute',
    "\nimport data from './data.ts' with { type: 'json' }; // here\nexport { data };",
    'an import attribute',
  ),
];

const GLOBALS: readonly Case[] = [
  inside('eval', "return eval('1');", 'eval'),
  inside('function', "return Function('return 1')();", 'Function'),
  inside('function', "return new Function('return 1');", 'Function'),
  inside('date', 'return Date.now();', 'Date'),
  inside('date', 'return new Date();', 'Date'),
  inside('random', 'return Math.random();', 'Math.random'),
  inside('inexact-math', 'return Math.sqrt(x);', 'Math.sqrt'),
  inside('inexact-math', "return Math['pow'](x, y);", 'Math.pow'),
  inside('math-alias', 'const m = Math; return m[x];', 'Math without a member'),
  inside('math-alias', 'return Math[x];', 'Math without a member'),
  inside('timer', 'setTimeout(x, 10);', 'setTimeout'),
  inside('timer', 'queueMicrotask(x);', 'queueMicrotask'),
  inside('timer', 'return performance.now();', 'performance'),
  inside('promise', 'return Promise.resolve(x);', 'Promise'),
  inside('intl', 'return new Intl.NumberFormat();', 'Intl'),
  inside('weak', 'return new WeakRef(x);', 'WeakRef'),
  inside('weak', 'return new FinalizationRegistry(x);', 'FinalizationRegistry'),
  inside('process', 'return process.env.HOME;', 'process'),
  inside('global', 'return globalThis;', 'globalThis'),
  inside('global', 'delete globalThis.Array;', 'globalThis'),
  inside('proxy', 'return new Proxy(x, {});', 'Proxy'),
  inside('reflect', 'return Reflect.ownKeys(x);', 'Reflect'),
  inside('symbol', 'return Symbol.iterator;', 'Symbol'),
  inside('regexp', "return new RegExp('a+');", 'RegExp'),
  inside('float', 'return new Float64Array(1);', 'Float64Array'),
  inside('float', 'return parseFloat(x);', 'parseFloat'),
  inside('float', 'return Number.parseFloat(x);', 'parseFloat'),
  inside('shared-memory', 'return new SharedArrayBuffer(8);', 'SharedArrayBuffer'),
  inside('shared-memory', 'return Atomics.load(x, 0);', 'Atomics'),
  inside('web-assembly', 'return WebAssembly.compile(x);', 'WebAssembly'),
  inside('console', 'console.log(x);', 'console'),
  inside('network', "return fetch('/a');", 'fetch'),
  inside('require', "return require('fs');", 'require'),
  inside('arguments', 'return arguments.length;', 'arguments'),
  inside('unknown-global', 'return structuredClone(x);', 'the global structuredClone'),
  inside('unknown-global', 'return missing;', 'the global missing'),
  inside('reserved-name', 'const $$ticks = 1; return $$ticks;', 'the name $$ticks'),
  inside('reserved-name', '$$ticks = 1000000;', 'the name $$ticks'),
];

const MEMBERS: readonly Case[] = [
  inside('locale', 'return x.toLocaleString();', 'toLocaleString'),
  inside('locale', 'return x.localeCompare(y);', 'localeCompare'),
  inside('locale', 'return x.toUpperCase();', 'toUpperCase'),
  inside('locale', "return x['normalize']();", 'normalize'),
  inside('number-format', 'return x.toFixed(2);', 'toFixed'),
  inside('prototype', 'return x.__proto__;', '__proto__'),
  inside('prototype', "return x.constructor.constructor('return this')();", 'constructor'),
  inside('prototype', 'const { constructor: c } = x; return c;', 'constructor'),
  inside('prototype', 'return { __proto__: x };', '__proto__'),
  inside('define-property', "return Object.defineProperty(x, 'a', y);", 'Object.defineProperty'),
  inside('define-property', 'return Object.setPrototypeOf(x, y);', 'Object.setPrototypeOf'),
  inside('array-of-length', 'return new Array(x);', 'an array of a given length'),
  inside('array-of-length', 'return Array(x).fill(0);', 'an array of a given length'),
  inside('array-of-length', 'return Array.from({ length: x });', 'an array of a given length'),
  inside('array-of-length', 'return new Uint8Array(x);', 'an array of a given length'),
  inside('set-length', 'x.length = y;', 'a change of length'),
  inside('repeat', "return 'a'.repeat(x);", 'repeat'),
  inside('repeat', "return 'a'.padStart(x);", 'padStart'),
];

export const FORBIDDEN: readonly Case[] = [...SYNTAX, ...STATE, ...IMPORTS, ...GLOBALS, ...MEMBERS];
