/** While nothing is picked: the stages of a block in the middle of the last ones. Steady where single blocks jump. */
import { useMemo } from 'react';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { medianTimes } from '../../node/stages.ts';
import type { ViewRow } from '../../stream/snapshot.ts';
import { Gantt } from './gantt.tsx';

const VIEWS_COUNTED = 60;

export function TypicalView({ views }: { readonly views: readonly ViewRow[] }) {
  const committed = views.filter(({ times }) => times.committedMs !== undefined).slice(-VIEWS_COUNTED);
  const times = useMemo(() => medianTimes(committed.map((row) => row.times)), [committed]);
  return (
    <Panel title="A typical block" note={`median of the last ${committed.length}; pick a bar for one of them`}>
      {committed.length === 0 ? (
        <Empty title="No block yet">Its stages, and what ran under consensus, appear here.</Empty>
      ) : (
        <Gantt times={times} shadowedMs={null} />
      )}
    </Panel>
  );
}
