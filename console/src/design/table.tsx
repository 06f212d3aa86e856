/** Table: columns as data, so that every table of the console reads, scrolls and narrows alike. */
import './table.css';
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Right-aligned. */
  readonly number?: boolean;
  /** Left out below 600 px. */
  readonly wideOnly?: boolean;
}

export interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  readonly rowTone?: (row: Row) => 'bad' | 'warn' | undefined;
}

export function Table<Row>({ caption, columns, rows, rowKey, rowTone }: TableProps<Row>) {
  return (
    // What scrolls sideways must be reachable by keyboard. No region: its panel is one already.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be for form controls
    <div className="table-scroll" tabIndex={0} role="group" aria-label={caption}>
      <table className="table">
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
          {rows.map((row) => (
            <tr key={rowKey(row)} data-tone={rowTone?.(row)}>
              {columns.map((column) => (
                <td key={column.key} className={columnClass(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function columnClass<Row>({ number, wideOnly }: Column<Row>): string | undefined {
  const classes = [number ? 'number' : '', wideOnly ? 'wide-only' : ''].filter(Boolean).join(' ');
  return classes === '' ? undefined : classes;
}
