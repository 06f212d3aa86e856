/** Checks and votes a second, from the node's own counters. */
import { useMemo } from 'react';
import { Chart } from '../../design/chart.tsx';
import { joined, rateMeasure } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import type { SeriesPoint } from '../../stream/snapshot.ts';
import { useStream } from '../../stream/use-stream.ts';

const perSecond = (value: number | null | undefined) => joined(rateMeasure(value));

export function CheckRateChart() {
  const series = useStream((snapshot) => snapshot.series);
  const times = useMemo(() => series.map(({ atMs }) => atMs), [series]);
  const lines = useMemo(
    () => [
      { label: 'Votes', color: '--stage-final', values: rates(series, 'votesChecked') } as const,
      { label: 'Quorum checks', color: '--stage-certified', values: rates(series, 'quorumChecks') } as const,
    ],
    [series],
  );
  return (
    <Panel title="Votes and the checks that they cost" note="a second">
      <Chart label="Votes and quorum checks a second" times={times} lines={lines} format={perSecond} />
    </Panel>
  );
}

/** A counter that fell started anew with its node: no rate is known then. */
export function rates(
  series: readonly SeriesPoint[],
  counter: 'votesChecked' | 'quorumChecks',
): readonly (number | null)[] {
  return series.map((point, i) => {
    const before = series[i - 1];
    const from = before?.[counter] ?? null;
    const to = point[counter];
    if (before === undefined || from === null || to === null || to < from || point.atMs <= before.atMs) return null;
    return ((to - from) / (point.atMs - before.atMs)) * 1_000;
  });
}
