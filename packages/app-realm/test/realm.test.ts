import { describe, expect, it } from 'vitest';
import { createRealm } from '../src/realm.ts';

const realm = createRealm();
const resultOf = (source: string): unknown => realm.evaluate(`'use strict';${source}`, 'test');

describe('a realm', () => {
  it.each([
    ...[
      'Date',
      'Promise',
      'Intl',
      'WeakRef',
      'WeakMap',
      'FinalizationRegistry',
      'Proxy',
      'Reflect',
      'RegExp',
      'Function',
    ],
    ...['eval', 'setTimeout', 'queueMicrotask', 'console', 'process', 'require', 'fetch', 'performance', 'crypto'],
    ...['Float32Array', 'Float64Array', 'Float16Array', 'SharedArrayBuffer', 'Atomics', 'WebAssembly', 'parseFloat'],
    ...['escape', 'encodeURIComponent', 'structuredClone', 'TextEncoder', 'Buffer', 'global', 'Temporal'],
  ])('has no %s', (name) => {
    expect(resultOf(`typeof ${name}`)).toBe('undefined');
  });

  it.each([
    ...['Math.random', 'Math.sqrt', 'Math.pow', 'Math.sin', 'Math.PI', "'a'.localeCompare", "'a'.toUpperCase"],
    ...[
      "'a'.normalize",
      "'a'.match",
      "'a'.toLocaleLowerCase",
      '(1).toFixed',
      '(1).toLocaleString',
      '(1n).toLocaleString',
    ],
    ...[
      '[].toLocaleString',
      '({}).toLocaleString',
      '({}).__defineGetter__',
      'Array.fromAsync',
      'Error.captureStackTrace',
    ],
    ...['new DataView(new ArrayBuffer(8)).getFloat64', 'new Uint8Array(1).toLocaleString', 'Symbol.for'],
    ...['(async () => {})().then', '/a/.test', '/a/.exec', '(async () => {})().constructor.resolve'],
  ])('has no %s', (member) => {
    expect(resultOf(`typeof ${member}`)).toBe('undefined');
  });

  it('has ten functions of Math, all exact', () => {
    expect(String(resultOf('Object.keys(Math)'))).toBe('abs,ceil,clz32,floor,imul,max,min,round,sign,trunc');
    expect(resultOf('Math.max(1, 2) + Math.floor(7 / 2) + Math.imul(3, 4)')).toBe(17);
  });

  it('computes as the language does', () => {
    expect(resultOf('[3, 1, 2].sort().map((x) => x * 2).join() + [...new Map([[1, 2]]).keys()] + (2n + 3n)')).toBe(
      '2,4,615',
    );
    expect(resultOf("JSON.stringify({ b: 1, a: [parseInt('7', 10)] })")).toBe('{"b":1,"a":[7]}');
    expect(resultOf("class A extends Error { name = 'A' }; String(new A('text'))")).toBe('A: text');
  });

  it.each([
    ...["(() => {}).constructor('return 1')()", "(async () => {}).constructor('return 1')()"],
    ...["(function* () {}).constructor('yield 1')()", "globalThis.constructor.constructor('return this')()"],
  ])('makes no code of text: %s', (source) => {
    expect(() => resultOf(source)).toThrow(/Code generation from strings disallowed|is not a function/);
  });

  it('has nothing that can be changed', () => {
    const found = resultOf(`(() => {
      const names = Object.getOwnPropertyNames, symbols = Object.getOwnPropertySymbols, of = Object.getOwnPropertyDescriptor;
      const proto = Object.getPrototypeOf, open = [], seen = new Set();
      const waiting = [globalThis, ...[[].values(), new Map().keys(), new Set().keys(), ''[Symbol.iterator](), () => {},
        function* () {}, async () => {}, async function* () {}, /a/, (async () => {})(), [].values().map((x) => x)].map(proto)];
      while (waiting.length > 0) {
        const each = waiting.pop();
        if (each === null || (typeof each !== 'object' && typeof each !== 'function') || seen.has(each)) continue;
        seen.add(each);
        if (!Object.isFrozen(each)) open.push(String(each.name ?? each));
        waiting.push(proto(each));
        for (const key of [...names(each), ...symbols(each)]) {
          const found = of(each, key);
          waiting.push(found.value, found.get, found.set);
        }
      }
      return seen.size > 300 ? open.join() : 'too few: ' + seen.size;
    })()`);
    expect(found).toBe('');
  });

  it.each([
    'globalThis.a = 1',
    'Array.prototype.a = 1',
    'Math.abs = 1',
    'delete Object.prototype.valueOf',
    'JSON.a = 1',
  ])('throws on %s', (change) => {
    expect(() => resultOf(change)).toThrow(/Cannot|not extensible/);
  });

  it('leaves no trace of where code stands', () => {
    expect(resultOf("const f = () => new Error('text').stack; f()")).toBe('Error: text');
  });

  it('gets copies of bytes, with constructors of its own', () => {
    const bytes = new Uint8Array([1, 2]);
    const copy = realm.copyIn(bytes);
    expect([...copy]).toEqual([1, 2]);
    expect(copy.buffer).not.toBe(bytes.buffer);
    expect(copy instanceof Uint8Array).toBe(false);
    expect(copy.constructor).toBe(resultOf('Uint8Array'));
  });
});
