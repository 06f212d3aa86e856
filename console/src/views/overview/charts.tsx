import { duration, perSecond } from '../../design/format.ts';
import { useStream } from '../../stream/use-stream.ts';
import { each, hasRows, ROWS_LINE, type SeriesLine, SeriesPanel } from '../series-panel.tsx';

const TIMES: readonly SeriesLine[] = [
  { label: 'Block time p50', color: '--stage-notarized', values: each('blockTimeP50') },
  { label: 'Finality p50', color: '--stage-final', values: each('finalityP50') },
  { label: 'Finality p95', color: '--stage-certified', values: each('finalityP95') },
];

export function LatencyChart() {
  const label = 'Block time and finality';
  const note = 'each point over one minute';
  return <SeriesPanel title="Block time and finality" note={note} label={label} lines={TIMES} format={duration} />;
}

const RATES: readonly SeriesLine[] = [
  { label: 'Transactions', color: '--accent', values: each('transactionsPerSecond') },
  { label: 'Blocks', color: '--stage-committed', values: each('blocksPerSecond') },
];
const RATES_WITH_ROWS: readonly SeriesLine[] = [...RATES, ROWS_LINE];

export function RateChart() {
  const lines = useStream(hasRows) ? RATES_WITH_ROWS : RATES;
  const label = 'Transactions and blocks per second';
  return <SeriesPanel title="Throughput" note="per second" label={label} lines={lines} format={perSecond} />;
}
