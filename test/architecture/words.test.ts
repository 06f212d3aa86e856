import { expect, it } from 'vitest';
import { readRepository } from './repository.ts';
import { findOddWords } from './words.ts';

it('uses the words of the field', () => {
  expect(findOddWords(readRepository())).toEqual([]);
});

it('finds an odd word in names, comments, strings and documents, and accepts ordinary senses', () => {
  const found = (text: string, path = 'packages/x/src/a.ts') =>
    findOddWords([{ path, text }]).map((line) => line.replace(/; say: .*/, ''));
  expect(found('let last' + 'HeardMs = 0;')).toEqual(['packages/x/src/a.ts:1: "heard"']);
  expect(found('// who' + 'ever asks')).toEqual(['packages/x/src/a.ts:1: "who' + 'ever"']);
  expect(found("throw new Error('make it an" + "ew');")).toHaveLength(1);
  expect(found('a start-up' + ' question', 'docs/a.md')).toHaveLength(1);
  expect(found('silentLogger')).toEqual([]);
  const inTest = (text: string) => found(text, 'packages/x/test/a.test.ts');
  expect(inTest('const who' + 'ever = 1;')).toEqual([]);
  expect(inTest('/** Of who' + 'ever asks. */')).toHaveLength(1);
  expect(inTest('  step(); // an' + 'ew')).toHaveLength(1);
  expect(inTest("  it('is not to" + "ld', () => {")).toHaveLength(1);
  expect(inTest("    about: 'the leader is blocked, and no" + "body else',")).toHaveLength(1);
  expect(inTest('  assert(count === 0, `no' + 'body is blocked`);')).toHaveLength(1);
  expect(inTest("  const node = named('no" + "body');")).toEqual([]);
  expect(found('They are aw' + 'ay.', 'docs/kubernetes/a.yaml')).toHaveLength(1);
  expect(found('20 a sec' + 'ond, 50 views a sec' + 'ond, within a second, a second or two', 'docs/a.md')).toHaveLength(
    1,
  );
  expect(found('at 40 Mi' + 'B a second', 'docs/a.md')).toHaveLength(1);
  expect(found('print(`at $' + '{rate} a sec' + 'ond`);', 'scripts/a.ts')).toHaveLength(1);
  expect(found('a disk at once; it runs away from it; within a second', 'docs/a.md')).toEqual([]);
  expect(found("print('what is to" + "ld otherwise');", 'scripts/a.ts')).toHaveLength(1);
});
