/** Distilled batches of a block. */
import type { DistilledBatch } from '@slipstream/schema';
import { count } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Empty, Failure, LeftOut, Loading } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { href } from '../../shell/router.ts';
import { Pager } from './pager.tsx';
import { usePaging } from './pages.ts';

const COLUMNS: readonly Column<DistilledBatch>[] = [
  {
    key: 'id',
    title: 'Batch',
    cell: ({ batchId }) => <Hex value={batchId} href={href('explorer', 'batch', batchId)} what="batch id" />,
  },
  {
    key: 'broker',
    title: 'Broker',
    wideOnly: true,
    cell: ({ broker }) => <Hex value={broker} what="broker" />,
  },
  { key: 'rows', title: 'Rows', number: true, cell: ({ rows }) => count(rows) },
  { key: 'charged', title: 'Charged', number: true, wideOnly: true, cell: ({ charged }) => count(charged) },
  { key: 'failed', title: 'Failed', number: true, wideOnly: true, cell: ({ failed }) => count(failed) },
  { key: 'skipped', title: 'Skipped', number: true, cell: ({ skipped }) => count(skipped) },
];

export function BatchList({ height }: { readonly height: number }) {
  const paging = usePaging();
  const { cursor } = paging;
  const { answer, again } = useQuery(`batches of ${height} ${cursor}`, (signal) =>
    client.blockBatches(height, { signal, ...(cursor !== undefined && { cursor }) }),
  );
  if (answer.type === 'loading') return <Loading what="batches" />;
  if (answer.type === 'failed') return <Failure title="No answer" detail={answer.reason} onRetry={again} />;
  const { items, malformed, next } = answer.value;
  if (items.length === 0 && malformed.length === 0) return <Empty title="No batches in this block" />;
  return (
    <>
      <Table caption={`Batches of block ${height}`} columns={COLUMNS} rows={items} rowKey={({ batchId }) => batchId} />
      <LeftOut malformed={malformed} />
      <Pager paging={paging} next={next} words={['Previous', 'Next']} />
    </>
  );
}
