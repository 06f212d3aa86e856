/**
 * Renders only the visible rows of a long table.
 *
 *   | spacer (rows above) | visible rows, and some more | spacer (rows below) |
 */
import { type RefObject, useEffect, useState } from 'react';

interface RowWindow {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly abovePx: number;
  readonly belowPx: number;
}

/** Up to this length the table is rendered whole. */
export const ROWS_WHOLE_MAX = 100;
/** Beyond the visible rows, so that scrolling shows no gap. */
const OVERSCAN = 12;
const ROW_PX_DEFAULT = 37;

/** `holder`: the scrolling element. */
export function useRowWindow(holder: RefObject<HTMLElement | null>, rows: number): RowWindow {
  const [sight, setSight] = useState({ top: 0, height: 0, rowPx: ROW_PX_DEFAULT });
  const windowed = rows > ROWS_WHOLE_MAX;

  useEffect(() => {
    const element = holder.current;
    if (element === null || !windowed) return;
    const measure = () => {
      const row = element.querySelector<HTMLElement>('tbody tr[aria-rowindex]');
      setSight({ top: element.scrollTop, height: element.clientHeight, rowPx: row?.offsetHeight ?? ROW_PX_DEFAULT });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [holder, windowed]);

  return windowed ? windowOf(rows, sight) : { from: 0, to: rows, abovePx: 0, belowPx: 0 };
}

interface Sight {
  readonly top: number;
  readonly height: number;
  readonly rowPx: number;
}

export function windowOf(rows: number, { top, height, rowPx }: Sight): RowWindow {
  const first = Math.floor(top / rowPx) - OVERSCAN;
  const count = Math.ceil(height / rowPx) + 2 * OVERSCAN;
  const from = Math.max(0, Math.min(first, rows - count));
  const to = Math.min(rows, from + count);
  return { from, to, abovePx: from * rowPx, belowPx: (rows - to) * rowPx };
}
