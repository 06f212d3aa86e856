/** The two scales of a chart, and the lines and numbers that show them. */
import type { Chart } from './chart.ts';
import { escapeHtml } from './page.ts';

export interface Scales {
  readonly width: number;
  readonly height: number;
  /** Values of x. */
  readonly count: number;
  /** Place of the x with this index. */
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  /** Width that each of equally spaced x has. */
  readonly step: number;
  readonly grid: readonly string[];
}

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 56;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 28;
const GRID_LINES = 4;
const INNER = WIDTH - LEFT - RIGHT;

export function createScales(chart: Chart): Scales {
  const top = chart.top ?? niceTop(Math.max(0, ...chart.lines.flatMap(drawnValues)));
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const count = chart.x.values.length;
  const step = INNER / Math.max(1, count);
  const { x, marks } = chart.kind === 'bars' ? places(chart, step) : numbers(chart);
  return { width: WIDTH, height: HEIGHT, count, x, y, step, grid: [...rows(top, chart.unit, y), ...marks] };
}

function drawnValues({ values, high = [] }: Chart['lines'][number]): readonly number[] {
  return [...values, ...high].map((value) => value ?? 0);
}

/** Equally spaced, each with its text. */
function places({ x }: Chart, step: number) {
  const at = (index: number) => LEFT + (index + 0.5) * step;
  const texts = x.values.map((value) => (typeof value === 'number' ? `${readable(value)} ${x.unit}` : value));
  return { x: at, marks: texts.map((text, index) => mark(at(index), text)) };
}

function numbers({ x: { values, unit, isLogarithmic = false } }: Chart) {
  const known = values.map(Number);
  const scaled = isLogarithmic ? Math.log : (value: number) => value;
  const unscaled = isLogarithmic ? Math.exp : (value: number) => value;
  const first = isLogarithmic ? scaled(known[0] ?? 1) : 0;
  const last = Math.max(first + (isLogarithmic ? Number.EPSILON : 1), scaled(known.at(-1) ?? 1));
  const place = (value: number) => LEFT + ((scaled(value) - first) / (last - first)) * INNER;
  const shown = Array.from({ length: GRID_LINES + 1 }, (_, at) => unscaled(first + ((last - first) * at) / GRID_LINES));
  return {
    x: (index: number) => place(known[index] ?? 0),
    marks: shown.map((value) => mark(place(value), `${readable(value)} ${unit}`)),
  };
}

function rows(top: number, unit: string, y: (value: number) => number): readonly string[] {
  const values = Array.from({ length: GRID_LINES + 1 }, (_, at) => (top * at) / GRID_LINES);
  return [
    ...values.map((value) => {
      const at = fixed(y(value));
      return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>`;
    }),
    ...values.map(
      (value) =>
        `<text class="scale" x="${LEFT - 6}" y="${fixed(y(value) + 4)}" text-anchor="end">${readable(value)}</text>`,
    ),
    `<text class="scale" x="${LEFT + 4}" y="${TOP + 8}">${escapeHtml(unit)}</text>`,
  ];
}

function mark(at: number, text: string): string {
  return `<text class="scale" x="${fixed(at)}" y="${HEIGHT - 10}" text-anchor="middle">${escapeHtml(text)}</text>`;
}

/** 1, 2 or 5 times a power of ten, at or above the value. */
export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999_999) ?? 10 * power;
}

export function readable(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toPrecision(2);
}

export function fixed(value: number): string {
  return value.toFixed(1);
}
