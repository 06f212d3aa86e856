/** A panel with lines over the last ten minutes of the stream: one point a second. */
import { useMemo } from 'react';
import { Chart, type ChartProps, type Line } from '../design/chart.tsx';
import { Panel } from '../design/panel.tsx';
import type { SeriesPoint } from '../stream/snapshot.ts';
import { useStream } from '../stream/use-stream.ts';

export interface SeriesLine extends Pick<Line, 'label' | 'color'> {
  values(series: readonly SeriesPoint[]): Line['values'];
}

export interface SeriesPanelProps extends Pick<ChartProps, 'label' | 'format'> {
  readonly title: string;
  readonly note: string;
  /** The same array at every drawing: it is what the lines are remembered by. */
  readonly lines: readonly SeriesLine[];
}

export function SeriesPanel({ title, note, label, format, lines }: SeriesPanelProps) {
  const series = useStream((snapshot) => snapshot.series);
  const times = useMemo(() => series.map(({ atMs }) => atMs), [series]);
  const drawn = useMemo(() => lines.map((line) => ({ ...line, values: line.values(series) })), [lines, series]);
  return (
    <Panel title={title} note={note}>
      <Chart label={label} times={times} lines={drawn} format={format} />
    </Panel>
  );
}

/** A field of each point, as it is. */
export function each(field: keyof SeriesPoint): SeriesLine['values'] {
  return (series) => series.map((point) => point[field]);
}
