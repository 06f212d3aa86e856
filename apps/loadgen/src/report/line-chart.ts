/**
 * A line chart as inline SVG with the page's colours. For accessibility lines differ in dash as well as in colour, and a
 * table below holds the numbers.
 */

export interface Line {
  readonly name: string;
  /** One per sample; undefined without a measurement. */
  readonly values: readonly (number | undefined)[];
}

export interface Chart {
  readonly title: string;
  /** One sentence that describes the chart. */
  readonly about: string;
  readonly unit: string;
  /** Seconds. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** Upper end of the scale; default: from the data. */
  readonly top?: number;
}

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 56;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 28;
const GRID_LINES = 4;
const DASHES = ['none', '7 3', '2 3', '10 3 2 3', '1 4', '12 4'];
/** Colours that the page defines; further lines repeat them with another dash. */
const CHART_COLOURS = 6;
/** Points per line: more are not visible at this width. */
const POINTS_MAX = 600;

export function lineChart(chart: Chart, number: number): string {
  const top =
    chart.top ?? niceTop(Math.max(0, ...chart.lines.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const last = Math.max(1, chart.times.at(-1) ?? 1);
  const x = (seconds: number) => LEFT + (seconds / last) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const title = `chart-${number}-title`;
  const about = `chart-${number}-about`;
  return [
    '<figure>',
    `<figcaption id="${title}"><h3>${escapeHtml(chart.title)}</h3></figcaption>`,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${title}" aria-describedby="${about}">`,
    ...grid(top, last, chart.unit, x, y),
    ...chart.lines.map((line, index) => path(line, chart.times, index, x, y)),
    '</svg>',
    `<p id="${about}">${escapeHtml(chart.about)}</p>`,
    legend(chart.lines),
    table(chart),
    '</figure>',
  ].join('\n');
}

function grid(
  top: number,
  last: number,
  unit: string,
  x: (seconds: number) => number,
  y: (value: number) => number,
): readonly string[] {
  const rows = Array.from({ length: GRID_LINES + 1 }, (_, index) => (top * index) / GRID_LINES);
  const columns = Array.from({ length: GRID_LINES + 1 }, (_, index) => (last * index) / GRID_LINES);
  return [
    ...rows.map(
      (value) =>
        `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${fixed(y(value))}" y2="${fixed(y(value))}"/>`,
    ),
    ...rows.map(
      (value) =>
        `<text class="scale" x="${LEFT - 6}" y="${fixed(y(value) + 4)}" text-anchor="end">${readable(value)}</text>`,
    ),
    ...columns.map(
      (value) =>
        `<text class="scale" x="${fixed(x(value))}" y="${HEIGHT - 10}" text-anchor="middle">${readable(value)} s</text>`,
    ),
    `<text class="scale" x="${LEFT + 4}" y="${TOP + 8}">${escapeHtml(unit)}</text>`,
  ];
}

function path(
  { values }: Line,
  times: readonly number[],
  index: number,
  x: (seconds: number) => number,
  y: (value: number) => number,
): string {
  const every = Math.ceil(times.length / POINTS_MAX);
  let commands = '';
  let isDrawing = false;
  for (const [at, time] of times.entries()) {
    if (at % every !== 0) continue;
    const value = values[at];
    if (value !== undefined) commands += `${isDrawing ? 'L' : 'M'}${fixed(x(time))} ${fixed(y(value))}`;
    isDrawing = value !== undefined;
  }
  return `<path class="line c${index % CHART_COLOURS}" stroke-dasharray="${DASHES[index % DASHES.length]}" d="${commands}"/>`;
}

function legend(lines: readonly Line[]): string {
  const entries = lines.map(({ name }, index) => {
    const sample = `<svg class="sample" viewBox="0 0 30 6" aria-hidden="true"><path class="line c${index % CHART_COLOURS}" stroke-dasharray="${DASHES[index % DASHES.length]}" d="M0 3L30 3"/></svg>`;
    return `<li>${sample} ${escapeHtml(name)}</li>`;
  });
  return `<ul class="legend">${entries.join('')}</ul>`;
}

function table({ title, times, lines }: Chart): string {
  const head = ['seconds', ...lines.map(({ name }) => name)].map((name) => `<th scope="col">${escapeHtml(name)}</th>`);
  const rows = times.map((time, at) => {
    const cells = lines.map(({ values }) => `<td>${values[at] === undefined ? '' : readable(values[at])}</td>`);
    return `<tr><th scope="row">${fixed(time)}</th>${cells.join('')}</tr>`;
  });
  return `<details><summary>The numbers of: ${escapeHtml(title)}</summary><div class="numbers" tabindex="0" role="region" aria-label="${escapeHtml(title)}"><table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div></details>`;
}

/** 1, 2 or 5 times a power of ten, at or above the value. */
export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999_999) ?? 10 * power;
}

function readable(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toPrecision(2);
}

function fixed(value: number): string {
  return value.toFixed(1);
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
