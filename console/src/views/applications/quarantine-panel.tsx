/** Actions that this node keeps out of its pool and its blocks. Blocks of others with their calls are executed as any other. */
import type { QuarantineView } from '@slipstream/schema';
import { ago, counted } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { useQuery } from '../../node/use-ask.ts';
import { href } from '../../shell/router.ts';
import { askQuarantine } from './manifest.ts';

const ASK_MS = 5_000;

const BY: Readonly<Record<QuarantineView['by'], string>> = {
  watchdog: 'Watchdog: a call ran without end',
  operator: 'Operator',
};

const COLUMNS: readonly Column<QuarantineView>[] = [
  { key: 'application', title: 'Application', cell: ({ application }) => application },
  { key: 'action', title: 'Action', cell: ({ name }) => name },
  { key: 'by', title: 'Added by', cell: ({ by }) => BY[by] },
  { key: 'since', title: 'Since', cell: ({ sinceMs }) => ago(Date.now() - sinceMs) },
  {
    key: 'transaction',
    title: 'Transaction',
    wideOnly: true,
    cell: ({ transaction }) =>
      transaction === undefined ? (
        ''
      ) : (
        <Hex value={transaction} href={href('explorer', 'transaction', transaction)} what="transaction id" />
      ),
  },
];

export function QuarantinePanel() {
  const { answer } = useQuery('quarantine', askQuarantine, { everyMs: ASK_MS });
  if (answer.type !== 'done' || answer.value.length === 0) return null;
  const actions = answer.value;
  return (
    <Panel
      title="Quarantine"
      note={`${counted(actions.length, 'action')}. To lift one: slipstream app quarantine NAME.ACTION --lift`}
      flush
    >
      <Table
        caption="Actions in quarantine"
        columns={COLUMNS}
        rows={actions}
        rowKey={({ application, action }) => `${application} ${action}`}
      />
    </Panel>
  );
}
