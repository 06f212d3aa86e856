/**
 * A chart as inline SVG with the page's colours. For accessibility lines differ in dash as well as in colour, and a table below holds the
 * numbers.
 */
import type { Chart, Line } from './chart.ts';
import { createScales, fixed, readable, type Scales } from './chart-scales.ts';
import { escapeHtml } from './page.ts';

const DASHES = ['none', '7 3', '2 3', '10 3 2 3', '1 4', '12 4'];
/** Colours that the page defines; further lines repeat them with another dash. */
const CHART_COLOURS = 6;
/** Points per line: more are not visible at this width. */
const POINTS_MAX = 600;

export function chartHtml(chart: Chart, number: number): string {
  const scales = createScales(chart);
  const title = `chart-${number}-title`;
  const about = `chart-${number}-about`;
  const draw = chart.kind === 'bars' ? bars : path;
  return [
    '<figure>',
    `<figcaption id="${title}"><h3>${escapeHtml(chart.title)}</h3></figcaption>`,
    `<svg viewBox="0 0 ${scales.width} ${scales.height}" role="img" aria-labelledby="${title}" aria-describedby="${about}">`,
    ...scales.grid,
    ...chart.lines.flatMap((line, index) => draw(line, index, scales, chart)),
    '</svg>',
    `<p id="${about}">${escapeHtml(chart.about)}</p>`,
    legend(chart),
    table(chart),
    '</figure>',
  ].join('\n');
}

function path({ values, low, high }: Line, index: number, { x, y, count }: Scales): readonly string[] {
  const every = Math.ceil(count / POINTS_MAX);
  const places = Array.from({ length: count }, (_, at) => at).filter((at) => at % every === 0);
  let commands = '';
  let isDrawing = false;
  for (const at of places) {
    const value = values[at];
    if (value !== undefined) commands += `${isDrawing ? 'L' : 'M'}${fixed(x(at))} ${fixed(y(value))}`;
    isDrawing = value !== undefined;
  }
  const drawn = `<path class="line ${styleOf(index)}" stroke-dasharray="${dashOf(index)}" d="${commands}"/>`;
  return [...places.flatMap((at) => whisker(low?.[at], high?.[at], x(at), y, index)), drawn];
}

function bars({ values, low, high }: Line, index: number, { x, y, step }: Scales, chart: Chart): readonly string[] {
  const wide = (0.8 * step) / chart.lines.length;
  return values.flatMap((value, at) => {
    if (value === undefined) return [];
    const left = x(at) + wide * (index - chart.lines.length / 2);
    const bar = `<rect class="bar ${styleOf(index)}" x="${fixed(left)}" width="${fixed(wide * 0.9)}" y="${fixed(y(value))}" height="${fixed(y(0) - y(value))}"/>`;
    return [bar, ...whisker(low?.[at], high?.[at], left + wide * 0.45, y, index)];
  });
}

function whisker(
  low: number | undefined,
  high: number | undefined,
  at: number,
  y: (value: number) => number,
  index: number,
): readonly string[] {
  if (low === undefined || high === undefined) return [];
  return [`<path class="spread ${styleOf(index)}" d="M${fixed(at)} ${fixed(y(low))}L${fixed(at)} ${fixed(y(high))}"/>`];
}

function legend({ kind, lines }: Chart): string {
  const entries = lines.map(({ name }, index) => {
    const shape =
      kind === 'bars'
        ? `<rect class="bar ${styleOf(index)}" width="30" height="6"/>`
        : `<path class="line ${styleOf(index)}" stroke-dasharray="${dashOf(index)}" d="M0 3L30 3"/>`;
    return `<li><svg class="sample" viewBox="0 0 30 6" aria-hidden="true">${shape}</svg> ${escapeHtml(name)}</li>`;
  });
  return `<ul class="legend">${entries.join('')}</ul>`;
}

function table({ title, x, lines }: Chart): string {
  const columns = lines.flatMap(({ name, values, low, high }) => [
    { name, values },
    ...(low ? [{ name: `${name}, low`, values: low }] : []),
    ...(high ? [{ name: `${name}, high`, values: high }] : []),
  ]);
  const head = [x.name, ...columns.map(({ name }) => name)].map((name) => `<th scope="col">${escapeHtml(name)}</th>`);
  const rows = x.values.map((value, at) => {
    const cells = columns.map(({ values }) => `<td>${values[at] === undefined ? '' : readable(values[at])}</td>`);
    return `<tr><th scope="row">${escapeHtml(typeof value === 'number' ? fixed(value) : value)}</th>${cells.join('')}</tr>`;
  });
  return `<details><summary>The numbers of: ${escapeHtml(title)}</summary><div class="numbers" tabindex="0" role="region" aria-label="${escapeHtml(title)}"><table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div></details>`;
}

const styleOf = (index: number) => `c${index % CHART_COLOURS}`;
const dashOf = (index: number) => DASHES[index % DASHES.length];
