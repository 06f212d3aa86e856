/** The last views as bars of stages. */
import './timeline.css';
import { useCallback, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import type { ViewProps } from '../../shell/later.tsx';
import { href } from '../../shell/router.ts';
import type { ViewRow } from '../../stream/snapshot.ts';
import { useStream } from '../../stream/use-stream.ts';
import { Bars } from './bars.tsx';
import { Legend } from './legend.tsx';
import { MedianBlock } from './median-block.tsx';
import { NullifiedPanel } from './nullified-panel.tsx';
import { SelectedView } from './selected-view.tsx';
import { ViewsTable } from './views-table.tsx';

export function TimelineView({ rest }: ViewProps) {
  const live = useStream((snapshot) => snapshot.views);
  const [held, setHeld] = useState<readonly ViewRow[]>();
  const [selected, setSelected] = useState(() => numberIn(rest[0]));
  const views = held ?? live;
  // The selected view gains stages after the pause.
  const row = live.find(({ view }) => view === selected) ?? views.find(({ view }) => view === selected);

  const shown = useRef(views);
  shown.current = views;
  const select = useCallback((view: number) => {
    setHeld(shown.current);
    setSelected(view);
    history.replaceState(null, '', href('timeline', view));
  }, []);
  const follow = () => {
    setHeld(undefined);
    setSelected(undefined);
    history.replaceState(null, '', href('timeline'));
  };

  return (
    <div className="view">
      <h1 className="hidden-label">Timeline</h1>
      <Panel
        title="Recent views"
        note={
          held === undefined ? (
            <Button onClick={() => setHeld(live)}>Pause</Button>
          ) : (
            <Button kind="primary" onClick={follow}>
              Follow again
            </Button>
          )
        }
      >
        <Legend />
        {views.length === 0 ? (
          <Empty title="No view yet">Bars appear here when this node receives proposals.</Empty>
        ) : (
          <Bars views={views} selected={selected} onSelect={select} />
        )}
      </Panel>
      <div className="columns">
        <div className="stack">
          {selected === undefined ? <MedianBlock views={views} /> : <SelectedView view={selected} row={row} />}
          <NullifiedPanel views={views} />
        </div>
        <ViewsTable views={views} />
      </div>
    </div>
  );
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
