/** Each row of a walk in docs/contributors names one file, by its whole path, and functions in it. */
import { expect, it } from 'vitest';
import { readRepository, type SourceFile } from './repository.ts';

const WALK = /^\| step \| where \|\n\|---\|---\|\n((?:\|.*\n)+)/gm;
const ROW = /^\| .+ \| ([^|]+) \|$/gm;
const PLACES = /^`((?:apps|packages|console)\/[^`]+\.tsx?)` (`#?\w+`(?:, `#?\w+`)*)$/;

function rowsOf(document: string): readonly string[] {
  return [...document.matchAll(WALK)].flatMap(([, rows = '']) =>
    [...rows.matchAll(ROW)].map(([, places = '']) => places),
  );
}

function findMissing(document: string, files: readonly SourceFile[]): readonly string[] {
  const textOf = new Map(files.map(({ path, text }) => [path, text]));
  return rowsOf(document).flatMap((places) => {
    const [, path = '', names = ''] = PLACES.exec(places) ?? [];
    if (path === '') return [`"${places}" is not one file and its functions`];
    const text = textOf.get(path);
    if (text === undefined) return [path];
    return [...names.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => {
      const declared = new RegExp(`(function\\*? |const |class |^ {2}(async )?)${name}\\b`, 'm');
      return declared.test(text) ? [] : [`${path} ${name}`];
    });
  });
}

const files = readRepository();

it('names a file and its functions at each step', () => {
  const text = files.find(({ path }) => path === 'docs/contributors/README.md')?.text ?? '';
  expect(rowsOf(text).length).toBeGreaterThan(70);
  expect(findMissing(text, files)).toEqual([]);
});

it('finds a missing file, a folder, a step without a function, and a function that is not in its file', () => {
  const code = [{ path: 'packages/x/src/a.ts', text: 'export function here() {}\n' }];
  const missing = (places: string) => findMissing(`| step | where |\n|---|---|\n| a step | ${places} |\n`, code);
  expect(missing('`packages/x/src/a.ts` `here`')).toEqual([]);
  expect(missing('`packages/x/src/a.ts` `here`, `gone`')).toEqual(['packages/x/src/a.ts gone']);
  expect(missing('`packages/x/src/b.ts` `here`')).toEqual(['packages/x/src/b.ts']);
  expect(missing('`packages/x`')).toHaveLength(1);
  expect(missing('`packages/x/src/a.ts`')).toHaveLength(1);
});

it('describes each folder of the node', () => {
  const text = files.find(({ path }) => path === 'docs/contributors/README.md')?.text ?? '';
  const described = [...text.matchAll(/^\| ((?:`[a-z-]+`(?:, )?)+) \| .+ \|$/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const folders = files.flatMap(({ path }) => /^apps\/node\/src\/([^/]+)\//.exec(path)?.[1] ?? []);
  expect([...new Set(folders)].filter((folder) => !described.includes(folder))).toEqual([]);
});
