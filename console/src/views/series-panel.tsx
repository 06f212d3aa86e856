/** A chart of ten minutes with a point per second, or of a day with a point per minute. */
import type { SeriesPoint } from '@slipstream/schema';
import { useMemo } from 'react';
import { Chart, type ChartProps, type Line } from '../design/chart.tsx';
import { Choice } from '../design/choice.tsx';
import { Panel } from '../design/panel.tsx';
import type { Snapshot } from '../stream/snapshot.ts';
import { useStream } from '../stream/use-stream.ts';
import { chooseSpan, SPANS, useSpan } from './chart-span.ts';

export interface SeriesLine extends Pick<Line, 'label' | 'color'> {
  values(series: readonly SeriesPoint[]): Line['values'];
}

interface SeriesPanelProps extends Pick<ChartProps, 'label' | 'format'> {
  readonly title: string;
  readonly note: string;
  /** The same array at every render: computed lines are memoized by it. */
  readonly lines: readonly SeriesLine[];
}

const OPTIONS = SPANS.map((value) => ({ value, text: value }));

export function SeriesPanel({ title, note, label, format, lines }: SeriesPanelProps) {
  const span = useSpan();
  const isDay = span === '24 h';
  const seconds = useStream((snapshot) => snapshot.series);
  const minutes = useStream((snapshot) => snapshot.minutes);
  const series = useMemo(() => (isDay ? [...minutes, ...seconds.slice(-1)] : seconds), [isDay, minutes, seconds]);
  const times = useMemo(() => series.map(({ atMs }) => atMs), [series]);
  const drawn = useMemo(() => lines.map((line) => ({ ...line, values: line.values(series) })), [lines, series]);
  const choice = <Choice label={`Time span of ${title}`} options={OPTIONS} chosen={span} onChoose={chooseSpan} />;
  return (
    <Panel title={title} note={note} choice={choice}>
      <Chart label={label} times={times} lines={drawn} format={format} step={isDay ? 'minute' : 'second'} />
    </Panel>
  );
}

/** One field of each point, unchanged. */
export function each(field: keyof SeriesPoint): SeriesLine['values'] {
  return (series) => series.map((point) => point[field]);
}

/** Of a chain whose blocks have distilled batches. */
export const ROWS_LINE: SeriesLine = {
  label: 'Rows of batches',
  color: '--stage-certified',
  values: each('rowsPerSecond'),
};

export function hasRows({ series }: Pick<Snapshot, 'series'>): boolean {
  return series.some(({ rowsPerSecond }) => (rowsPerSecond ?? 0) > 0);
}
