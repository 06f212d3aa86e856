/** Records a bench's results in docs/performance/README.md: one section per bench, replaced by the next full run. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import type { Claim } from './claim.ts';
import { goalOf, goalText, verdictOf } from './goals.ts';
import { withMeasuredTable } from './measured-table.ts';

export interface Measured {
  readonly bench: string;
  readonly commit: string;
  readonly machine: string;
  readonly date: string;
  readonly claims: readonly Claim[];
}

const path = join(root, 'docs/performance/README.md');
const readmePath = join(root, 'README.md');

export async function record(measured: Measured): Promise<void> {
  const performance = withSection(await readFile(path, 'utf8'), measured);
  await writeFile(path, performance);
  await writeFile(readmePath, withMeasuredTable(await readFile(readmePath, 'utf8'), performance));
}

export function withSection(text: string, measured: Measured): string {
  const [head = '', ...rest] = text.split(/^(?=## )/m);
  const others = rest.filter((section) => !section.startsWith(`## ${measured.bench}\n`));
  const sections = [...others, sectionOf(measured)].map((section) => `${section.trimEnd()}\n`).sort();
  return `${head.trimEnd()}\n\n${sections.join('\n')}`;
}

function sectionOf({ bench, commit, machine, date, claims }: Measured): string {
  const rows = claims.map(({ name, value, unit, samples }) => {
    const goal = goalOf(bench, name);
    const bar = goal === undefined ? '' : `${goalText(goal)} (${goal.from}): **${verdictOf(goal, value)}**`;
    return `| ${name} | ${value} ${unit} | ${samples} | ${bar} |`;
  });
  return [
    `## ${bench}`,
    '',
    `\`npm run bench -- ${bench}\`, ${date}, commit ${commit}, ${machine}.`,
    '',
    '| claim | seen | samples | goal |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}
