import type { Listed, TransactionPage, TransactionSummary } from '@slipstream/schema';
import { Badge, type Tone } from '../../design/badge.tsx';
import { amount, count, dateAndTime, NONE } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Empty, Failure, LeftOut, Loading } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { useQuery } from '../../node/use-ask.ts';
import { href } from '../../shell/router.ts';
import { Pager } from './pager.tsx';
import { usePaging } from './pages.ts';

export const STATUS_TONES: Readonly<Record<TransactionSummary['status'], Tone>> = {
  pending: 'info',
  attested: 'info',
  ordered: 'info',
  final: 'good',
  failed: 'bad',
  expired: 'warn',
  skipped: 'warn',
};

const COLUMNS: readonly Column<TransactionSummary>[] = [
  {
    key: 'id',
    title: 'Transaction',
    cell: ({ id }) => <Hex value={id} href={href('explorer', 'transaction', id)} what="transaction id" />,
  },
  { key: 'kinds', title: 'Actions', wideOnly: true, cell: ({ kinds }) => kinds.join(', ') },
  {
    key: 'sender',
    title: 'Sender',
    wideOnly: true,
    cell: ({ sender }) =>
      sender === undefined ? NONE : <Hex value={sender} href={href('explorer', 'account', sender)} what="sender" />,
  },
  {
    key: 'height',
    title: 'Height',
    number: true,
    cell: ({ height }) => <a href={href('explorer', 'block', height)}>{count(height)}</a>,
  },
  { key: 'time', title: 'Time', wideOnly: true, cell: ({ timestampMs }) => dateAndTime(timestampMs) },
  { key: 'fee', title: 'Fee', number: true, wideOnly: true, cell: ({ fee }) => amount(fee) },
  { key: 'status', title: 'Status', cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{status}</Badge> },
];

interface TransactionListProps {
  readonly of: string;
  readonly empty: string;
  readonly ask: (options: {
    readonly cursor?: string;
    readonly signal: AbortSignal;
  }) => Promise<Listed<TransactionPage>>;
}

export function TransactionList({ of, empty, ask }: TransactionListProps) {
  const paging = usePaging();
  const { cursor } = paging;
  const { answer, again } = useQuery<Listed<TransactionPage>>(`transactions of ${of} ${cursor}`, (signal) =>
    ask({ signal, ...(cursor !== undefined && { cursor }) }),
  );
  if (answer.type === 'loading') return <Loading what="transactions" />;
  if (answer.type === 'failed') return <Failure title="No answer" detail={answer.reason} onRetry={again} />;
  const { items, malformed, next } = answer.value;
  if (items.length === 0 && malformed.length === 0) return <Empty title={empty} />;
  return (
    <>
      <Table caption={`Transactions of ${of}`} columns={COLUMNS} rows={items} rowKey={({ id }) => id} />
      <LeftOut malformed={malformed} />
      <Pager paging={paging} next={next} />
    </>
  );
}
