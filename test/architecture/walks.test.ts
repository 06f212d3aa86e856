/** Each file of a walk in docs/contributors exists, and holds the functions that are named behind it. */
import { expect, it } from 'vitest';
import { readRepository, type SourceFile } from './repository.ts';

const ROW = /^\| [^|]+ \| (.+) \|$/gm;
const NAME = /`([^`]+)`/g;

function findMissing(document: string, files: readonly SourceFile[]): readonly string[] {
  const textOf = new Map(files.map(({ path, text }) => [path, text]));
  const missing: string[] = [];
  for (const [, places = ''] of document.matchAll(ROW)) {
    let file: string | undefined;
    for (const [, name = ''] of places.matchAll(NAME)) {
      if (name.includes('/') && name.endsWith('.ts')) {
        file = textOf.has(name) ? name : undefined;
        // By the end of the path: the name is relative to the package before it.
        if (file === undefined) file = files.find(({ path }) => path.endsWith(`/${name}`))?.path;
        if (file === undefined) missing.push(name);
      } else if (/^[a-z]\w+$/i.test(name) && file !== undefined) {
        const holds = new RegExp(`(function\\*? |const |class |^ {2}(async )?)${name}\\b`, 'm').test(
          textOf.get(file) ?? '',
        );
        if (!holds) missing.push(`${file} ${name}`);
      }
    }
  }
  return missing;
}

const files = readRepository();

it('names files and functions that exist', () => {
  const text = files.find(({ path }) => path === 'docs/contributors/README.md')?.text ?? '';
  expect(text.match(ROW)?.length).toBeGreaterThan(30);
  expect(findMissing(text, files)).toEqual([]);
});

it('finds a missing file, and a function that is not in its file', () => {
  const code = [{ path: 'packages/x/src/a.ts', text: 'export function here() {}\n' }];
  const row = (places: string) => `| a step | ${places} |\n`;
  expect(findMissing(row('`packages/x/src/a.ts` `here`'), code)).toEqual([]);
  expect(findMissing(row('`packages/x/src/a.ts` `gone`'), code)).toEqual(['packages/x/src/a.ts gone']);
  expect(findMissing(row('`packages/x/src/b.ts`'), code)).toEqual(['packages/x/src/b.ts']);
});
