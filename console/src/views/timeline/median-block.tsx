/** Median stage times of the last blocks, shown while no view is selected. */
import { useMemo } from 'react';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { medianTimes } from '../../node/stages.ts';
import type { ViewRow } from '../../stream/snapshot.ts';
import { Gantt } from './gantt.tsx';

const VIEWS_COUNTED = 60;

export function MedianBlock({ views }: { readonly views: readonly ViewRow[] }) {
  const committed = views.filter(({ times }) => times.committedMs !== undefined).slice(-VIEWS_COUNTED);
  const times = useMemo(() => medianTimes(committed.map((row) => row.times)), [committed]);
  return (
    <Panel title="Median block" note={`of the last ${committed.length}; select a bar for a single block`}>
      {committed.length === 0 ? (
        <Empty title="No block yet">Its stages, and what ran under consensus, appear here.</Empty>
      ) : (
        <Gantt times={times} shadowedMs={null} />
      )}
    </Panel>
  );
}
