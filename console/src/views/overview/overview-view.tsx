import './overview.css';
import { useStream } from '../../stream/use-stream.ts';
import { ActivityPanel } from './activity.tsx';
import { LatencyChart, RateChart } from './charts.tsx';
import { Alerts, HealthCards } from './health-cards.tsx';
import { RecentBlocks } from './recent-blocks.tsx';
import { Vitals } from './vitals.tsx';

export function OverviewView() {
  const chain = useStream(({ status }) => status?.chain);
  return (
    <div className="view">
      <h1 className="hidden-label">Overview{chain === undefined ? '' : ` of ${chain}`}</h1>
      <HealthCards />
      <Alerts />
      <Vitals />
      <div className="columns">
        <LatencyChart />
        <RateChart />
      </div>
      <div className="columns-wide">
        <RecentBlocks />
        <ActivityPanel />
      </div>
    </div>
  );
}
