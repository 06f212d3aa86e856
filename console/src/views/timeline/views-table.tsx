/** Table of the views, for screen readers too. */
import { Badge } from '../../design/badge.tsx';
import { count, duration } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { finalityMs, progressOf } from '../../node/progress.ts';
import { segmentsOf, totalMs } from '../../node/stages.ts';
import type { ViewRow } from '../../stream/snapshot.ts';

const ROWS = 14;

const COLUMNS: readonly Column<ViewRow>[] = [
  { key: 'view', title: 'View', number: true, cell: ({ view }) => count(view) },
  { key: 'height', title: 'Height', number: true, wideOnly: true, cell: ({ height }) => count(height) },
  { key: 'leader', title: 'Leader', number: true, cell: ({ leader }) => leader ?? '–' },
  { key: 'state', title: 'State', cell: (row) => <State row={row} /> },
  { key: 'final', title: 'Final after', number: true, cell: (row) => duration(finalityMs(row)) },
  {
    key: 'committed',
    title: 'Committed after',
    number: true,
    wideOnly: true,
    cell: ({ times }) => (times.committedMs === undefined ? '–' : duration(totalMs(segmentsOf(times)))),
  },
];

export function ViewsTable({ views }: { readonly views: readonly ViewRow[] }) {
  return (
    <Panel title="Table" note="newest first" flush>
      <Table
        caption="Last views"
        columns={COLUMNS}
        rows={views.slice(-ROWS).reverse()}
        rowKey={({ view }) => view}
        rowTone={({ nullified }) => (nullified === null ? undefined : 'warn')}
      />
    </Panel>
  );
}

function State({ row }: { readonly row: ViewRow }) {
  const { tone, word } = progressOf(row);
  return <Badge tone={tone}>{word}</Badge>;
}
