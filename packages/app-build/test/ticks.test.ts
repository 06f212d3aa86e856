import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { addTicks } from '../src/ticks.ts';

/** Ticks that a script uses, or "endless" above 1000. */
function ticksOf(script: string): number | 'endless' {
  const context = { $$ticks: 1000, $$stop: () => vm.runInNewContext("throw new Error('stop')") };
  try {
    vm.runInNewContext(addTicks(`'use strict';${script}`), context);
  } catch (error) {
    if ((error as Error).message === 'stop') return 'endless';
    throw error;
  }
  return 1000 - context.$$ticks;
}

describe('ticks', () => {
  it.each([
    ['nothing', 0],
    ['for (let i = 0; i < 3; i++) {}', 3],
    ['for (let i = 0; i < 3; i++);', 3],
    ['let i = 0; while (i < 4) i++;', 4],
    ['let i = 0; do i++; while (i < 5);', 5],
    ['for (const x of [1, 2]) for (const y of [1, 2, 3]) x + y;', 8],
    ['for (const k in { a: 1, b: 2 }) k;', 2],
    ['outer: for (const x of [1, 2]) for (const y of [1, 2, 3]) continue outer;', 4],
    ['function f() {} f(); f();', 2],
    ['const f = () => 1; f();', 1],
    ['const f = () => ({ a: 1 }); if (f().a !== 1) throw f;', 1],
    ['const f = (a) => (a, 2); if (f(1) !== 2) throw f;', 1],
    ['const f = () => () => 3; if (f()() !== 3) throw f;', 2],
    ['const o = { m() {}, get g() { return 1; }, f: function () {} }; o.m(); o.g; o.f();', 3],
    ['class A { constructor() {} m() {} static s() {} } new A().m(); A.s();', 3],
    ['[1, 2, 3].map((x) => x);', 3],
    ['const f = (a = 1, b = [a].concat(2)) => a; f(); f(1, 2);', 3],
    ["const f = function () { 'use strict'; return 1; }; f();", 1],
    ['const f = (x) => x ? [f(0)] : 1; f(1);', 2],
    ['if (1) for (;;) break; else throw 1;', 1],
  ] as const)('%s', (script, ticks) => {
    expect(ticksOf(script === 'nothing' ? '' : script)).toBe(ticks);
  });

  it.each([
    'for (;;);',
    'while (true) {}',
    'do {} while (true);',
    'const f = () => f() + 1; f();',
    'function f() { return g(); } function g() { return f(); } f();',
    'const f = (a = f()) => a; f();',
    'const f = ({ [f({})]: a }) => a; f({});',
    'const f = ([a = f([])]) => a; f([]);',
    'class A { b = new A(); } new A();',
    'class A { get b() { return this.b; } } new A().b;',
    'const o = { toString: () => String(o) }; String(o);',
    'const f = () => [1].map(f); f();',
    'const f = (x) => f`a`; f();',
    'const list = [1]; for (const x of list) list.push(x);',
    'class A { constructor() { new A(); } } new A();',
    'class A { #b = this.c(); c() { return new A(); } } new A();',
  ])('end %s', (script) => {
    expect(ticksOf(script)).toBe('endless');
  });

  it('cost more in a body of more than a hundred nodes of syntax', () => {
    const statements = (count: number) => 'x = 1;'.repeat(count);
    // A statement has four nodes.
    expect(ticksOf(`let x; const f = () => { ${statements(20)} }; f();`)).toBe(1);
    expect(ticksOf(`let x; const f = () => { ${statements(30)} }; f();`)).toBe(2);
    expect(ticksOf(`let x; const f = () => { ${statements(55)} }; f();`)).toBe(3);
    expect(ticksOf(`let x; for (let i = 0; i < 2; i++) { ${statements(30)} }`)).toBe(4);
    expect(ticksOf(`let x; const f = () => { const g = () => { ${statements(30)} }; }; f();`)).toBe(1);
  });
});
