/** The HTML report of a bench. */
import { expect, it } from 'vitest';
import { benchHtml } from '../../scripts/bench/html.ts';

const measured = {
  bench: 'cache',
  commit: 'abc',
  machine: '2 x <cores>',
  date: '2026-01-01',
  claims: [{ name: 'hit_ratio', value: 5000, unit: 'ratio', samples: 10 }],
  charts: [
    { title: 'Hits', about: 'Time of a hit.', unit: 'us', x: { name: 'size', unit: '', values: [1, 2] }, lines: [] },
  ],
};

it('holds the charts, and the claims with the verdict on their goal', () => {
  const html = benchHtml({ ...measured, isSmoke: false });
  expect(html).toContain('<h3>Hits</h3>');
  expect(html).toMatch(/hit_ratio<\/th><td>5000 ratio<\/td><td>10<\/td><td>at least 4000 .*: reached/);
  expect(html).toContain('2 x &#60;cores&#62;');
});

it('gives no verdict on a smoke run', () => {
  expect(benchHtml({ ...measured, isSmoke: true })).not.toContain('reached');
});

it('has a goal of one bench for it and its parts alone', () => {
  const claims = [{ name: 'finality_p50_ms', value: 700, unit: 'ms', samples: 10 }];
  const htmlOf = (bench: string) => benchHtml({ ...measured, bench, claims, isSmoke: false });
  for (const bench of ['vryx', 'vryx:virtual']) expect(htmlOf(bench)).toMatch(/at most 3250 .*: reached/);
  for (const bench of ['throughput', 'capacity']) expect(htmlOf(bench)).not.toContain('reached');
});
