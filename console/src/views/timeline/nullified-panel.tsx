import { count, counted } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import type { ViewRow } from '../../stream/snapshot.ts';
import { groupNullified, type NullifiedGroup } from './nullified-views.ts';

const COLUMNS: readonly Column<NullifiedGroup>[] = [
  { key: 'leader', title: 'Leader', number: true, cell: ({ leader }) => leader ?? '–' },
  { key: 'reason', title: 'Reason', cell: ({ reason }) => reason ?? 'unknown: the node retained no reason' },
  { key: 'times', title: 'Views', number: true, cell: ({ times }) => count(times) },
  { key: 'last', title: 'Last', number: true, cell: ({ lastView }) => count(lastView) },
];

export function NullifiedPanel({ views }: { readonly views: readonly ViewRow[] }) {
  const rows = groupNullified(views);
  return (
    <Panel title="Nullified views" note={`of the last ${counted(views.length, 'view')}`} flush>
      {rows.length === 0 ? (
        <Empty title="None">Every view ended with a block. Leaders that are offline or too slow are listed here.</Empty>
      ) : (
        <Table
          caption="Nullified views"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ leader, reason }) => `${leader}/${reason}`}
          rowTone={() => 'warn'}
        />
      )}
    </Panel>
  );
}
