/** Why views were given up, and under whom. */
import { count } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import type { ViewRow } from '../../stream/snapshot.ts';
import { type GivenUp, givenUp } from './given-up.ts';

const COLUMNS: readonly Column<GivenUp>[] = [
  { key: 'leader', title: 'Leader', number: true, cell: ({ leader }) => leader ?? '–' },
  { key: 'reason', title: 'Reason', cell: ({ reason }) => reason ?? 'not known: the node remembers none' },
  { key: 'times', title: 'Views', number: true, cell: ({ times }) => count(times) },
  { key: 'last', title: 'Last', number: true, cell: ({ lastView }) => count(lastView) },
];

export function GivenUpPanel({ views }: { readonly views: readonly ViewRow[] }) {
  const rows = givenUp(views);
  return (
    <Panel title="Given up" note={`of the last ${count(views.length)} views`} flush>
      {rows.length === 0 ? (
        <Empty title="None">
          Every view ended with a block. A leader that is away or too slow would be named here.
        </Empty>
      ) : (
        <Table
          caption="Views given up"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ leader, reason }) => `${leader}/${reason}`}
          rowTone={() => 'warn'}
        />
      )}
    </Panel>
  );
}
