/** Checks and votes a second, from the node's own counters. */
import { useMemo } from 'react';
import { Chart } from '../../design/chart.tsx';
import { joined, rateMeasure } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { rates } from '../../stream/rates.ts';
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
