/** A distilled batch: its header, what its rows paid, and the rows in pages. */
import type { DistilledBatch, DistilledRow } from '@slipstream/schema';
import { Badge } from '../../design/badge.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { amount, count, dateAndTime, NONE } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Failure, LeftOut, Loading } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { href } from '../../shell/router.ts';
import { absenceTitle } from './absence.ts';
import { Pager } from './pager.tsx';
import { usePaging } from './pages.ts';
import { OUTCOME_TONES } from './row-outcome.ts';

export function BatchPage({ id }: { readonly id: string }) {
  const { answer, again } = useQuery(`batch ${id}`, (signal) => client.batch(id, { signal }));
  if (answer.type === 'loading') return <Loading what="the batch" />;
  if (answer.type === 'failed') {
    return <Failure title={absenceTitle('batch', answer.error)} detail={answer.reason} onRetry={again} />;
  }
  const batch = answer.value;
  return (
    <>
      <div className="view-head">
        <h1>Distilled batch</h1>
      </div>
      <Hex value={batch.batchId} what="batch id" whole />
      <Panel title="Header">
        <Facts facts={headerFacts(batch)} />
      </Panel>
      <Panel title="Rows" note={count(batch.rows)} flush>
        <RowList id={id} />
      </Panel>
    </>
  );
}

function headerFacts(batch: DistilledBatch): readonly Fact[] {
  const { height, broker, number, epoch, expiryMs, feeCap, rowFee, stragglerFee, charged, failed, skipped, root } =
    batch;
  return [
    [
      'Block',
      <a key="block" href={href('explorer', 'block', height)}>
        {count(height)}
      </a>,
    ],
    ['Broker', <Hex key="broker" value={broker} what="broker" />],
    ['Number', `${count(number)} of this broker, epoch ${count(epoch)}`],
    ['Expires', dateAndTime(expiryMs)],
    ['Fee of a row', `${amount(rowFee)}, at most ${amount(feeCap)}`],
    ['Fee of a straggler', stragglerFee === '0' ? NONE : amount(stragglerFee)],
    ['Outcomes', `${count(charged)} charged, ${count(failed)} of them failed; ${count(skipped)} skipped`],
    ['Rows root', <Hex key="root" value={root} what="rows root" />],
  ];
}

const COLUMNS: readonly Column<DistilledRow>[] = [
  {
    key: 'position',
    title: 'Row',
    cell: ({ id, position }) => <a href={href('explorer', 'transaction', id)}>{count(position + 1)}</a>,
  },
  { key: 'sender', title: 'Sender', number: true, cell: ({ senderIndex }) => count(senderIndex) },
  { key: 'recipient', title: 'Recipient', number: true, cell: ({ recipientIndex }) => count(recipientIndex) },
  { key: 'amount', title: 'Amount', number: true, cell: ({ amount: paid }) => amount(paid) },
  { key: 'sequence', title: 'Sequence', number: true, wideOnly: true, cell: ({ sequence }) => count(sequence) },
  { key: 'tag', title: 'Tag', number: true, wideOnly: true, cell: ({ tag }) => count(tag) },
  {
    key: 'fee',
    title: 'Fee',
    number: true,
    wideOnly: true,
    cell: ({ fee }) => (fee === undefined ? NONE : amount(fee)),
  },
  {
    key: 'outcome',
    title: 'Outcome',
    wideOnly: true,
    cell: ({ outcome }) => <Badge tone={OUTCOME_TONES[outcome.status]}>{outcome.status}</Badge>,
  },
];

function RowList({ id }: { readonly id: string }) {
  const paging = usePaging();
  const { cursor } = paging;
  const { answer, again } = useQuery(`rows of ${id} ${cursor}`, (signal) =>
    client.batchRows(id, { signal, ...(cursor !== undefined && { cursor }) }),
  );
  if (answer.type === 'loading') return <Loading what="rows" />;
  if (answer.type === 'failed') {
    return <Failure title={absenceTitle('batch', answer.error)} detail={answer.reason} onRetry={again} />;
  }
  const { items, malformed, next } = answer.value;
  return (
    <>
      <Table caption="Rows of the batch" columns={COLUMNS} rows={items} rowKey={({ id: row }) => row} />
      <LeftOut malformed={malformed} />
      <Pager paging={paging} next={next} words={['Previous', 'Next']} />
    </>
  );
}
