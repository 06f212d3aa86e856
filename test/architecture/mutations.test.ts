/** Mutations find the code to break by its syntax (test/simulation/mutations). */
import { describe, expect, it } from 'vitest';
import { applyEdits, editsOf, findEdits } from '../simulation/mutations/edits.ts';
import { readModule, readMutations } from '../simulation/mutations/read-mutations.ts';
import { MUTATIONS } from '../simulation/mutations/table.ts';
import { SCENARIOS } from '../simulation/scenarios/index.ts';

it('each mutation finds the expression in the sources that it changes', () => {
  const found = findEdits();
  expect(found.flatMap(({ faults }) => faults)).toEqual([]);
  expect(found.map(({ mutation }) => mutation).sort()).toEqual(MUTATIONS.map(({ name }) => name).sort());
  expect(found.filter(({ edits }) => edits.length === 0)).toEqual([]);
});

it('each mutation names existing scenarios', () => {
  const known = new Set(SCENARIOS.map(({ name }) => name));
  expect(MUTATIONS.flatMap(({ scenarios }) => scenarios.filter((name) => !known.has(name)))).toEqual([]);
});

/** The changed source, or why the change failed. */
function changed(source: string, change: string, imports = ''): string {
  const text = `${imports}\nexport const all = [{ name: 'x', changes: [{ within: 'a', ${change} }] }];`;
  const [mutation] = readMutations(readModule({ path: 'mutation.ts', text }));
  const edits = mutation?.changes.map((each) => editsOf(each, [readModule({ path: 'a/a.ts', text: source })])) ?? [];
  const faults = edits.filter((each) => typeof each === 'string');
  return faults.length > 0 ? faults.join() : applyEdits(source, edits.flat() as never);
}

const dropNullify = 'replace: (own, other) => [own.nullify || other, other]';

describe('a change', () => {
  it('finds its expression whatever the local names, the formatting, the types and the parentheses', () => {
    expect(changed('if (own.nullify || late) stop();', dropNullify)).toBe('if ((late)) stop();');
    const other = 'if ((mine as Own).nullify /* given up */ ||\n isLate(at)) stop();';
    expect(changed(other, dropNullify)).toBe('if (((isLate(at)))) stop();');
  });

  it('puts the same expression at each occurrence of a hole, and requires it there', () => {
    expect(changed('go(a.b, a.b);', 'replace: (x) => [go(x, x), x]')).toBe('(a.b);');
    expect(changed('go(a.b, a.c);', 'replace: (x) => [go(x, x), x]')).toContain('nothing in a is like');
  });

  it('matches an import by its exported name', () => {
    const imports = "import { isQuorum as isEnough } from '../types.ts';";
    const source = "import { isQuorum } from './types.ts'; const a = isQuorum(w);";
    expect(changed(source, 'replace: (w) => [isEnough(w), true]', imports)).toContain('const a = (true);');
    expect(changed('const a = isBlocking(w);', 'replace: (w) => [isEnough(w), true]', imports)).toContain('nothing');
  });

  it('omits casts of its replacement', () => {
    expect(changed('go(a, 1);', 'replace: (x) => [go(x, 1), go(x as never, 2)]')).toBe('(go(a, 2));');
  });

  it('is a fault when its expression or its symbol is missing', () => {
    expect(changed('if (own.finalize) stop();', dropNullify)).toBe(
      'nothing in a is like "own.nullify || other" any more',
    );
    expect(changed('stop();', `inside: 'vote', ${dropNullify}`)).toBe('the symbol vote is gone from a');
  });

  it('is a fault when two expressions match, unless it selects one or all', () => {
    const source = 'function f() { return a.nullify || b; }\nfunction g() { return c.nullify || d; }';
    expect(changed(source, dropNullify)).toContain('is not unique in a: a/a.ts:1, a/a.ts:2');
    expect(changed(source, `inside: ['g'], ${dropNullify}`)).toContain('return (d);');
    expect(changed(source, `everywhere: true, ${dropNullify}`)).toMatch(/return \(b\);.*\n.*return \(d\);/);
  });

  it('is a fault when its replacement uses a name that is not in scope', () => {
    expect(changed('stop(1);', 'replace: (x) => [stop(x), leave(x)]')).toBe(
      'the replacement uses leave, which is not in "stop(x)"',
    );
  });
});
