import { expect, it } from 'vitest';
import { withMeasuredTable } from '../../scripts/bench/measured-table.ts';
import { readRepository } from './repository.ts';

function textOf(path: string): string {
  const file = readRepository().find((each) => each.path === path);
  if (file === undefined) throw new Error(`there is no ${path}`);
  return file.text;
}

it('the README has the figures of docs/performance', () => {
  const readme = textOf('README.md');
  expect(readme).toBe(withMeasuredTable(readme, textOf('docs/performance/README.md')));
});

/** Of each paragraph that follows the table, up to the next heading; code is none. */
function figuresBeside(readme: string): readonly (readonly string[])[] {
  const [, after = ''] = readme.split('<!-- /measured -->\n');
  const prose = (after.split(/^## /m)[0] ?? '').replace(/`[^`]*`|\]\([^)]*\)/g, ' ');
  return prose
    .split(/\n\n/)
    .map(numbersIn)
    .filter((figures) => figures.length > 0);
}

function numbersIn(text: string): readonly string[] {
  return (text.match(/\d[\d,]*(\.\d+)?/g) ?? []).map((figure) => figure.replace(/,/g, ''));
}

function notRecorded(readme: string, notes: readonly string[]): readonly string[] {
  const recorded = notes.map((text) => new Set(numbersIn(text)));
  return figuresBeside(readme)
    .filter((figures) => !recorded.some((known) => figures.every((figure) => known.has(figure))))
    .map((figures) => figures.join(' '));
}

it('a paragraph of figures beside the table has them all from one page of docs/performance', () => {
  const readme = textOf('README.md');
  const notes = readRepository('docs/performance').map(({ text }) => text);
  expect(figuresBeside(readme).length).toBeGreaterThan(0);
  expect(notRecorded(readme, notes)).toEqual([]);
  expect(notRecorded('<!-- /measured -->\n\n0 of 98,257 lost\n\n## More', notes)).toEqual(['0 98257']);
  expect(notRecorded('<!-- /measured -->\n\n0 of 12,345 lost', ['0 lost', '12,345 of 8'])).toHaveLength(1);
});

it('updates a changed figure, and refuses one that is not recorded', () => {
  const performance = textOf('docs/performance/README.md');
  const changed = performance.replace(/(\| check_ms_n100 \|) [0-9.]+/, '$1 7.25');
  expect(withMeasuredTable(textOf('README.md'), changed)).toContain('| 7.3 ms |');
  const without = performance.replace(/^\| check_ms_n100 .*$/m, '');
  expect(() => withMeasuredTable(textOf('README.md'), without)).toThrow('no figure check_ms_n100');
});

it('leaves out the row of a bench that was never recorded', () => {
  const performance = textOf('docs/performance/README.md');
  const without = performance.replace(/^## quorum\n[\s\S]*?(?=^## )/m, '');
  expect(withMeasuredTable(textOf('README.md'), without)).not.toContain('bench -- quorum');
});
