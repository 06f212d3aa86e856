/** Columns as data, so that all tables look, scroll and narrow alike. */
import './table.css';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';

import { ROWS_WHOLE_MAX, useRowWindow } from './row-window.ts';

export interface Column<Row> {
  readonly key: string;
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Right-aligned. */
  readonly number?: boolean;
  /** Hidden below 600 px. */
  readonly wideOnly?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  readonly rowTone?: (row: Row) => 'bad' | 'warn' | undefined;
}

export function Table<Row>({ caption, columns, rows, rowKey, rowTone }: TableProps<Row>) {
  const holder = useRef<HTMLDivElement>(null);
  const scrolls = useScrolls(holder);
  const { from, to, abovePx, belowPx } = useRowWindow(holder, rows.length);
  const long = rows.length > ROWS_WHOLE_MAX;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be for form controls
    <div
      ref={holder}
      className="table-scroll"
      data-long={long || undefined}
      role="group"
      aria-label={caption}
      // A scrolling element must be reachable by keyboard.
      tabIndex={scrolls || long ? 0 : undefined}
    >
      <table className="table" aria-rowcount={long ? rows.length + 1 : undefined}>
        <caption className="hidden-label">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={columnClass(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer heightPx={abovePx} columns={columns.length} />
          {rows.slice(from, to).map((row, i) => (
            <tr key={rowKey(row)} data-tone={rowTone?.(row)} aria-rowindex={long ? from + i + 2 : undefined}>
              {columns.map((column) => (
                <td key={column.key} className={columnClass(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Spacer heightPx={belowPx} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Spacer({ heightPx, columns }: { readonly heightPx: number; readonly columns: number }) {
  if (heightPx === 0) return null;
  return (
    <tr>
      <td colSpan={columns} style={{ height: heightPx, padding: 0 }} />
    </tr>
  );
}

function useScrolls(holder: RefObject<HTMLDivElement | null>): boolean {
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setScrolls(element.scrollWidth > element.clientWidth));
    observer.observe(element);
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [holder]);
  return scrolls;
}

function columnClass<Row>({ number, wideOnly }: Column<Row>): string | undefined {
  const classes = [number ? 'number' : '', wideOnly ? 'wide-only' : ''].filter(Boolean).join(' ');
  return classes === '' ? undefined : classes;
}
