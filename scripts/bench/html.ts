/** The HTML report of a bench: its charts, and its claims with their goals. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Chart, chartHtml, escapeHtml, pageHtml } from '@slipstream/app-loadgen';
import { goalOf, goalText, verdictOf } from './goals.ts';
import type { Measured } from './record.ts';

interface Report extends Measured {
  readonly charts: readonly Chart[];
  /** A smoke run has too few samples for a verdict. */
  readonly isSmoke: boolean;
}

/** Writes FOLDER/BENCH.html and returns its path. */
export async function writeBenchHtml(folder: string, report: Report): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${report.bench}.html`);
  await writeFile(path, benchHtml(report));
  return path;
}

export function benchHtml({ bench, commit, machine, date, claims, charts, isSmoke }: Report): string {
  const pictures = charts.map((chart, index) => chartHtml(chart, index + 1));
  const rows = claims.map(({ name, value, unit, samples }) => {
    const goal = isSmoke ? undefined : goalOf(bench, name);
    const verdict = goal === undefined ? '' : `${goalText(goal)} (${goal.from}): ${verdictOf(goal, value)}`;
    const cells = [`${value} ${unit}`, String(samples), verdict].map((text) => `<td>${escapeHtml(text)}</td>`);
    return `<tr><th scope="row">${escapeHtml(name)}</th>${cells.join('')}</tr>`;
  });
  const head = ['claim', 'seen', 'samples', 'goal'].map((name) => `<th scope="col">${name}</th>`);
  return pageHtml({
    title: `Slipstream bench ${bench}`,
    facts: {
      command: `npm run bench -- ${bench}${isSmoke ? ' --smoke (too few samples to quote)' : ''}`,
      commit,
      machine,
      date,
    },
    sections: [
      `<div class="charts">${pictures.join('\n')}</div>`,
      `<table><caption>Claims</caption><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`,
    ],
  });
}
