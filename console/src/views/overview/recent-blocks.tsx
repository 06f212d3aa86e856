/** Always the same number of rows, so that nothing below moves. */
import { Badge, ToneMark } from '../../design/badge.tsx';
import { count, counted, duration } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { finalityMs, progressOf } from '../../node/progress.ts';
import { useLive, verdictOn } from '../../proof/live-state.ts';
import { href } from '../../shell/router.ts';
import type { ViewRow } from '../../stream/snapshot.ts';
import { useStream } from '../../stream/use-stream.ts';

const ROWS = 10;

const COLUMNS: readonly Column<ViewRow>[] = [
  {
    key: 'height',
    title: 'Height',
    cell: ({ height, view }) =>
      height === null ? (
        <span className="soft">view {count(view)}</span>
      ) : (
        <a href={href('explorer', 'block', height)}>{count(height)}</a>
      ),
  },
  { key: 'state', title: 'State', cell: (row) => <ProgressBadge row={row} /> },
  {
    key: 'id',
    title: 'Block',
    wideOnly: true,
    cell: (row) => (row.blockId === null ? '–' : <Hex value={row.blockId} what="block id" />),
  },
  { key: 'leader', title: 'Leader', number: true, cell: (row) => row.leader ?? '–' },
  { key: 'transactions', title: 'Transactions', number: true, wideOnly: true, cell: transactionsOf },
  {
    key: 'signers',
    title: 'Votes',
    number: true,
    wideOnly: true,
    cell: (row) => count(row.certifySigners ?? row.notarizeSigners),
  },
  { key: 'verified', title: 'Here', wideOnly: true, cell: (row) => <VerifiedMark row={row} /> },
  { key: 'finality', title: 'Final after', number: true, cell: (row) => duration(finalityMs(row)) },
];

/** Those of batches beside it, where there are any. */
function transactionsOf({ transactions, rows }: ViewRow): string {
  return rows ? `${count(transactions)} + ${counted(rows, 'row')}` : count(transactions);
}

export function RecentBlocks() {
  const views = useStream((snapshot) => snapshot.views);
  const rows = views.slice(-ROWS).reverse();
  return (
    <Panel title="Recent views" note={<a href={href('timeline')}>Timeline</a>} flush>
      {rows.length === 0 ? (
        <Empty title="No block yet">Blocks appear here when this node receives them.</Empty>
      ) : (
        <Table caption="Recent views" columns={COLUMNS} rows={rows} rowKey={(row) => row.view} />
      )}
    </Panel>
  );
}

function ProgressBadge({ row }: { readonly row: ViewRow }) {
  const { tone, word } = progressOf(row);
  return <Badge tone={tone}>{word}</Badge>;
}

/** Whether this browser verified the certificates by itself: a mark, because a word leaves too little room. */
function VerifiedMark({ row: { height, blockId } }: { readonly row: ViewRow }) {
  const checked = useLive(({ verdicts }) => (height === null ? undefined : verdicts.get(height)));
  const verdict = verdictOn(checked, blockId);
  if (verdict === undefined) return '–';
  const isVerified = verdict === 'verified';
  return (
    <span
      className="badge"
      data-tone={isVerified ? 'good' : 'bad'}
      title={isVerified ? 'verified in this browser' : 'refused by this browser'}
    >
      <ToneMark tone={isVerified ? 'good' : 'bad'} />
      <span className="hidden-label">{isVerified ? 'verified in this browser' : 'refused by this browser'}</span>
    </span>
  );
}
