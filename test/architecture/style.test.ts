import { describe, expect, it } from 'vitest';
import { parseManifest, readManifests, readRepository } from './repository.ts';
import {
  findEmptyNames,
  findIdleTests,
  findLeftovers,
  findLongFiles,
  findSpreadLiterals,
  findSurrenders,
  findTiesToPlace,
  findUnexplainedDependencies,
  linesMax,
} from './style-rules.ts';

const files = readRepository();
const manifests = readManifests(files);

/** Joins the parts of forbidden words, because this file is checked too. */
const joined = (...parts: readonly string[]): string => parts.join('');
const file = (text: string, path = 'packages/wal/src/a.ts') => [{ path, text }];

describe('the style of the repository', () => {
  it('names files and folders after their ideas', () => {
    expect(findEmptyNames(files)).toEqual([]);
  });

  it('keeps files short', () => {
    expect(findLongFiles(files)).toEqual([]);
  });

  it('has no marker of unfinished work', () => {
    expect(findLeftovers(files)).toEqual([]);
  });

  it('has no unchecked type', () => {
    expect(findSurrenders(files)).toEqual([]);
  });

  it('spreads no object literal', () => {
    expect(findSpreadLiterals(files)).toEqual([]);
  });

  it('runs every test', () => {
    expect(findIdleTests(files)).toEqual([]);
  });

  it('has no path or host of one machine', () => {
    expect(findTiesToPlace(files)).toEqual([]);
  });

  it('has a written reason for each dependency', () => {
    expect(findUnexplainedDependencies(manifests, files)).toEqual([]);
  });
});

describe('the checkers of style', () => {
  it.each([
    'utils/a.ts',
    'packages/wal/src/helpers.ts',
    'src/common/x.ts',
    'vote-manager.ts',
    'misc.test.ts',
    'hexUtils.ts',
  ])('refuse the name %s', (path) => {
    expect(findEmptyNames(file('', path))).toHaveLength(1);
  });

  it.each(['common-ancestor.ts', 'management.ts', 'packages/wal/src/utility-curve.ts'])(
    'accept the name %s',
    (path) => {
      expect(findEmptyNames(file('', path))).toEqual([]);
    },
  );

  it('refuse a file of one line too many', () => {
    expect(findLongFiles(file('a\n'.repeat(linesMax)))).toEqual([]);
    expect(findLongFiles(file('a\n'.repeat(linesMax + 1)))).toHaveLength(1);
  });

  it.each([joined('// TO', 'DO: later'), joined('/* FIX', 'ME */')])('refuse %s', (text) => {
    expect(findLeftovers(file(text))).toHaveLength(1);
  });

  it.each([
    'let a: any;',
    'const a = b as any;',
    'type A = Record<string, any>;',
    joined('// @ts-', 'ignore\nf();'),
    joined('// @ts-no', 'check'),
  ])('refuse the type in: %s', (text) => {
    expect(findSurrenders(file(text))).toHaveLength(1);
  });

  it('accept the word any outside types', () => {
    expect(findSurrenders(file("// any will do\nconst any = 'any'; Promise.any([any]);"))).toEqual([]);
  });

  it('refuse a spread object literal, and accept one behind a condition', () => {
    expect(findSpreadLiterals(file('const a = { ...{ b, c } };'))).toHaveLength(1);
    expect(findSpreadLiterals(file('const a = { ...d, ...(e ? { b } : {}) };'))).toEqual([]);
  });

  it.each(['skip', 'only', 'todo', 'fails', 'skipIf'])('refuse a test with %s', (mode) => {
    for (const name of ['it', 'test', 'describe'])
      expect(findIdleTests(file(`${name}.${mode}('x', f);`))).toHaveLength(1);
    expect(findIdleTests(file(`import { it } from 'vitest'; it.${mode}.each([1])('x', f);`))).toHaveLength(1);
  });

  it('accept tests that run, and members of the same name elsewhere', () => {
    expect(findIdleTests(file("it('x', f); it.each([1])('x', f); reader.skip(1);"))).toEqual([]);
  });

  it.each([
    joined('https://registry.npm', 'js.org/a'),
    joined('https://registry.yarn', 'pkg.com/a'),
    joined('/wo', 'rk/main/a.ts'),
    joined('/tm', 'p/slip/x'),
    joined('/ro', 'ot/.npmrc'),
    joined('/ho', 'me/alice/a'),
  ])('refuse the place %s', (text) => {
    expect(findTiesToPlace(file(`const a = '${text}';`))).toHaveLength(1);
  });

  it('refuse a dependency without a reason, and accept one with it', () => {
    const wal = [
      parseManifest('packages/wal/package.json', '{ "name": "@slipstream/wal", "dependencies": { "left-pad": "1" } }'),
    ];
    expect(findUnexplainedDependencies(wal, [])).toEqual([
      'packages/wal/package.json: left-pad has no reason in docs/decisions',
    ]);
    expect(findUnexplainedDependencies(wal, file('left-pad', 'docs/decisions/0002-dependencies.md'))).toHaveLength(1);
    expect(
      findUnexplainedDependencies(wal, file('| `left-pad` | pads |', 'docs/decisions/0002-dependencies.md')),
    ).toEqual([]);
  });
});
