/** Stages of one block: which ran beside consensus and which waited. */
import './timeline.css';
import type { StageTimes } from '@slipstream/schema';
import { duration } from '../../design/format.ts';
import { Empty } from '../../design/states.tsx';
import { stageBars } from '../../node/stages.ts';

interface GanttProps {
  readonly times: StageTimes;
  readonly shadowedMs: number | null;
}

export function Gantt({ times, shadowedMs }: GanttProps) {
  const bars = stageBars(times);
  const endMs = Math.max(1, ...bars.map(({ toMs }) => toMs));
  if (bars.length === 0) return <Empty title="No stage times">This node did not see the block being made.</Empty>;
  return (
    <>
      <ol className="gantt">
        {bars.map(({ name, means, fill, fromMs, toMs }) => (
          <li key={name} className="gantt-row" title={means}>
            <span>{name}</span>
            <span className="gantt-track" aria-hidden="true">
              <span
                className={`gantt-bar fill-${fill}`}
                style={{ left: `${(fromMs / endMs) * 100}%`, width: `${((toMs - fromMs) / endMs) * 100}%` }}
              />
            </span>
            <span className="gantt-times">
              {fromMs.toFixed(0)} to {toMs.toFixed(0)} ms <span className="soft">({(toMs - fromMs).toFixed(0)})</span>
            </span>
          </li>
        ))}
      </ol>
      {shadowedMs === null ? null : (
        <p className="gantt-note small">
          <b>{duration(shadowedMs)}</b> of executing and writing ran while consensus was still voting: it delayed
          nothing.
        </p>
      )}
    </>
  );
}
