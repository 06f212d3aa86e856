/** Quorum checks and votes per second, from the node's own counters. */
import { perSecond } from '../../design/format.ts';
import { rates } from '../../stream/rates.ts';
import { type SeriesLine, SeriesPanel } from '../series-panel.tsx';

const LINES: readonly SeriesLine[] = [
  { label: 'Votes', color: '--stage-final', values: (series) => rates(series, 'votesChecked') },
  { label: 'Quorum checks', color: '--stage-certified', values: (series) => rates(series, 'quorumChecks') },
];

export function CheckRateChart() {
  const title = 'Votes and quorum checks';
  return (
    <SeriesPanel
      title={title}
      note="per second"
      label="Votes and quorum checks per second"
      lines={LINES}
      format={perSecond}
    />
  );
}
