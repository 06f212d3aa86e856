/** The last ten minutes as lines. */
import { useMemo } from 'react';
import { Chart } from '../../design/chart.tsx';
import { duration, joined, rateMeasure } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { useStream } from '../../stream/use-stream.ts';

const perSecond = (value: number | null | undefined) => joined(rateMeasure(value));

export function LatencyChart() {
  const series = useStream((snapshot) => snapshot.series);
  const times = useMemo(() => series.map(({ atMs }) => atMs), [series]);
  const lines = useMemo(
    () => [
      { label: 'Block time p50', color: '--stage-notarized', values: series.map((p) => p.blockTimeP50) } as const,
      { label: 'Finality p50', color: '--stage-final', values: series.map((p) => p.finalityP50) } as const,
      { label: 'Finality p95', color: '--stage-certified', values: series.map((p) => p.finalityP95) } as const,
    ],
    [series],
  );
  return (
    <Panel title="Block time and finality" note="at this node, over the last minute each">
      <Chart label="Block time and finality over the last ten minutes" times={times} lines={lines} format={duration} />
    </Panel>
  );
}

export function RateChart() {
  const series = useStream((snapshot) => snapshot.series);
  const times = useMemo(() => series.map(({ atMs }) => atMs), [series]);
  const lines = useMemo(
    () => [
      { label: 'Transactions', color: '--accent', values: series.map((p) => p.transactionsPerSecond) } as const,
      { label: 'Blocks', color: '--stage-committed', values: series.map((p) => p.blocksPerSecond) } as const,
    ],
    [series],
  );
  return (
    <Panel title="Throughput" note="a second">
      <Chart
        label="Transactions and blocks a second over the last ten minutes"
        times={times}
        lines={lines}
        format={perSecond}
      />
    </Panel>
  );
}
