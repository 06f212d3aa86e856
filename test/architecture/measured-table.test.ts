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
