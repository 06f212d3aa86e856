import { ToneMark } from '../../design/badge.tsx';
import { count, timeOfDay } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { useStream } from '../../stream/use-stream.ts';

const LINES = 9;

export function ActivityPanel() {
  const activity = useStream((snapshot) => snapshot.activity);
  const newest = activity.slice(-LINES).reverse();
  return (
    <Panel title="Recent events">
      {newest.length === 0 ? (
        <Empty title="Nothing unusual">Nullified views, lost or blocked peers and alerts are listed here.</Empty>
      ) : (
        <ol className="activity">
          {newest.map(({ key, atMs, tone, text, times }) => (
            <li key={key} data-tone={tone}>
              <time className="soft" dateTime={new Date(atMs).toISOString()}>
                {timeOfDay(atMs)}
              </time>
              <ToneMark tone={tone} />
              <span>
                {text}
                {times === 1 ? null : <span className="soft"> · {count(times)} times</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
