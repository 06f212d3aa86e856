import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { freezeTop } from '../src/freeze.ts';

/** Names, of those a module declares, that are frozen. */
function frozenIn(source: string, names: readonly string[]): readonly string[] {
  const code = freezeTop('app.js', source);
  const list = names.map((name) => `[${JSON.stringify(name)}, ${name}]`).join();
  const found = vm.runInNewContext(
    `const $$freeze = Object.freeze; (() => { ${code}\nreturn [${list}].filter(([, x]) => Object.isFrozen(x)).map(([n]) => n).join(); })()`,
  );
  return String(found).split(',');
}

describe('the top of a module', () => {
  it('is frozen: literals, what is in them, functions, classes and their prototypes', () => {
    const source = 'const a = { b: [1, { c: 2 }] }; function f() {} class C {} const d = [a];';
    const names = ['a', 'a.b', 'a.b[1]', 'f', 'C', 'C.prototype', 'd'];
    expect(frozenIn(source, names)).toEqual(names);
  });

  it('leaves what functions make', () => {
    const source = 'const f = () => ({ a: [] }); const o = f(); class C { b = []; } const c = new C();';
    expect(frozenIn(source, ['o', 'o.a', 'c', 'c.b', 'f', 'C'])).toEqual(['C']);
  });

  it('stays in its lines, with its types', () => {
    const source = 'const a = {\n  b: [1],\n} as const;\nexport default a satisfies unknown;';
    expect(freezeTop('app.ts', source)).toBe(
      'const a = $$freeze({\n  b: $$freeze([1]),\n}) as const;\nexport default a satisfies unknown;',
    );
  });
});
