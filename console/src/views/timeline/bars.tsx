/** One bar per view, newest at the right; height: time from proposal to commit. */
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import { duration } from '../../design/format.ts';
import { progressOf } from '../../node/progress.ts';
import { roundScale, segmentsOf, totalMs } from '../../node/stages.ts';
import type { ViewRow } from '../../stream/snapshot.ts';

interface BarsProps {
  /** Ascending. */
  readonly views: readonly ViewRow[];
  readonly selected: number | undefined;
  readonly onSelect: (view: number) => void;
}

const BAR_PX = 13;
/** Bars above this quantile are cut off, so that one slow view does not flatten the others. */
const SCALE_QUANTILE = 0.95;

export function Bars({ views, selected, onSelect }: BarsProps) {
  const holder = useRef<HTMLDivElement>(null);
  const slots = useSlots(holder);
  const shown = views.slice(-slots);
  const scaleMs = scaleOf(shown);
  const focusable = shown.some(({ view }) => view === selected) ? selected : shown.at(-1)?.view;

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    const at = shown.findIndex(({ view }) => view === focusable);
    const next = shown[at + step];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    onSelect(next.view);
    holder.current?.querySelector<HTMLElement>(`[data-view="${next.view}"]`)?.focus();
  };

  return (
    <div className="timeline">
      <div className="timeline-scale" aria-hidden="true">
        <span>{duration(scaleMs)}</span>
        <span>{duration(scaleMs / 2)}</span>
        <span>0</span>
      </div>
      <div
        ref={holder}
        className="timeline-bars"
        role="toolbar"
        aria-label="Last views; arrow keys move between them"
        onKeyDown={onKeyDown}
      >
        {shown.map((row) => (
          <Bar
            key={row.view}
            row={row}
            scaleMs={scaleMs}
            pressed={row.view === selected}
            focusable={row.view === focusable}
            onSelect={onSelect}
          />
        ))}
      </div>
    </div>
  );
}

interface BarProps {
  readonly row: ViewRow;
  readonly scaleMs: number;
  readonly pressed: boolean;
  readonly focusable: boolean;
  readonly onSelect: (view: number) => void;
}

/** Most bars do not change with a batch. */
const Bar = memo(function Bar({ row, scaleMs, pressed, focusable, onSelect }: BarProps) {
  const segments = segmentsOf(row.times);
  const whole = totalMs(segments);
  const shrink = whole > scaleMs ? scaleMs / whole : 1;
  const percent = (ms: number) => `${((ms * shrink) / scaleMs) * 100}%`;
  const label = barLabel(row, whole);
  return (
    <button
      type="button"
      className="timeline-bar"
      data-view={row.view}
      aria-pressed={pressed}
      aria-label={label}
      title={label}
      tabIndex={focusable ? 0 : -1}
      onClick={() => onSelect(row.view)}
    >
      {row.nullified === null ? (
        segments.map(({ milestone, ms }) => (
          <span key={milestone} className={`timeline-part fill-${milestone}`} style={{ height: percent(ms) }} />
        ))
      ) : (
        <span className="timeline-part fill-nullified" style={{ height: '100%' }} />
      )}
    </button>
  );
});

function barLabel(row: ViewRow, wholeMs: number): string {
  const { view, height, leader, nullified } = row;
  if (nullified !== null)
    return `View ${view}: nullified (${nullified.reason ?? 'reason unknown'}), leader ${leader ?? 'unknown'}`;
  const what = height === null ? '' : `, height ${height}`;
  return `View ${view}${what}: ${progressOf(row).word} after ${duration(wholeMs)}, leader ${leader}`;
}

function scaleOf(rows: readonly ViewRow[]): number {
  const totals = rows.map(({ times }) => totalMs(segmentsOf(times))).filter((ms) => ms > 0);
  if (totals.length === 0) return 100;
  totals.sort((a, b) => a - b);
  return roundScale(totals[Math.floor((totals.length - 1) * SCALE_QUANTILE)] ?? 100);
}

function useSlots(holder: React.RefObject<HTMLDivElement | null>): number {
  const [slots, setSlots] = useState(0);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setSlots(Math.floor(element.clientWidth / BAR_PX)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [holder]);
  return slots;
}
