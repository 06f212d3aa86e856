/** Lines over minutes or hours, drawn by uPlot in the theme's colours; the legend has the values as text. */
import './chart.css';
import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { useTheme } from './theme.ts';

export interface Line {
  readonly label: string;
  readonly color: `--${string}`;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly label: string;
  /** ms since 1970, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number | null | undefined) => string;
  readonly step: keyof typeof STEPS;
}

/**
 * The axis keeps its span while data is young, so that lines do not race across. A longer gap than `gapMs` is drawn as a gap. Times show
 * the first `clockCharacters` of "12:34:56".
 */
const STEPS = {
  second: { spanMinS: 120, gapMs: 3_500, clockCharacters: 8 },
  minute: { spanMinS: 3_600, gapMs: 150_000, clockCharacters: 5 },
} as const;

const HEIGHT_PX = 190;
/** Width of "12:34:56": half of it extends beyond the newest second. */
const CLOCK_LABEL_PX = 56;

export function Chart({ label, times, lines, format, step }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const theme = useTheme();
  const data = useMemo(() => plotData(times, lines, STEPS[step].gapMs), [times, lines, step]);
  const newest = useRef(data);
  newest.current = data;
  const shape = lines.map(({ label, color }) => `${label}|${color}`).join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read from the page, and change with the theme
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const colors = shape.split('\n').map((line) => line.slice(line.indexOf('|') + 1));
    const made = new uPlot(plotOptions(colors, element.clientWidth, format, step), newest.current, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [theme, shape, format, step]);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);

  return (
    <figure className="chart" aria-label={label}>
      <ul className="chart-legend">
        {lines.map((line) => (
          <li key={line.label}>
            <span className="chart-key" style={{ background: `var(${line.color})` }} aria-hidden="true" />
            {line.label} <b>{format(line.values.at(-1))}</b>
          </li>
        ))}
      </ul>
      <div ref={holder} className="chart-plot" aria-hidden="true" />
    </figure>
  );
}

function plotData(times: readonly number[], lines: readonly Line[], gapMs: number): uPlot.AlignedData {
  const seconds: number[] = [];
  const columns = lines.map((): (number | null)[] => []);
  times.forEach((time, i) => {
    const before = times[i - 1];
    if (before !== undefined && time - before > gapMs) {
      seconds.push((before + 1) / 1_000);
      for (const column of columns) column.push(null);
    }
    seconds.push(time / 1_000);
    columns.forEach((column, c) => {
      column.push(lines[c]?.values[i] ?? null);
    });
  });
  return [seconds, ...columns];
}

function plotOptions(
  colors: readonly string[],
  width: number,
  format: ChartProps['format'],
  step: ChartProps['step'],
): uPlot.Options {
  const { spanMinS, clockCharacters } = STEPS[step];
  const clockLabel = (seconds: number) => new Date(seconds * 1_000).toTimeString().slice(0, clockCharacters);
  const font = `11px ${getComputedStyle(document.documentElement).fontFamily}`;
  const axis = { stroke: resolveColor('--text-soft'), font, ticks: { show: false } };
  return {
    width,
    height: HEIGHT_PX,
    padding: [8, CLOCK_LABEL_PX / 2, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: true, range: (_, min, max) => [Math.min(min ?? max, max - spanMinS), max] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.15, 0.001)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 26, space: 80, values: (_, splits) => splits.map(clockLabel) },
      {
        ...axis,
        grid: { stroke: resolveColor('--line'), width: 1 },
        size: 58,
        space: 36,
        values: (_, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [{}, ...colors.map((color) => ({ stroke: resolveColor(color), width: 1.75, points: { show: false } }))],
  };
}

/** The colour of a token in the current theme: a canvas accepts no tokens. */
function resolveColor(token: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
