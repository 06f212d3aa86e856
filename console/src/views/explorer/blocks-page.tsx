/** Newest first. The list does not move: a button offers newer blocks. */
import type { BlockPage, BlockView, Listed } from '@slipstream/schema';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { count, counted, dateAndTime, duration } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty, Failure, LeftOut, Loading } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { useProof } from '../../proof/use-proof.ts';
import { VerdictLine } from '../../proof/verdict-line.tsx';
import { href } from '../../shell/router.ts';
import { useStream } from '../../stream/use-stream.ts';
import { Pager } from './pager.tsx';
import { type Paging, usePaging } from './pages.ts';

const LIMIT = 20;

type Page = Listed<BlockPage>;

const COLUMNS: readonly Column<BlockView>[] = [
  {
    key: 'height',
    title: 'Height',
    cell: ({ block }) => <a href={href('explorer', 'block', block.height)}>{count(block.height)}</a>,
  },
  { key: 'id', title: 'Block', cell: ({ block }) => <Hex value={block.id} what="block id" /> },
  { key: 'time', title: 'Time', wideOnly: true, cell: ({ block }) => dateAndTime(block.timestampMs) },
  { key: 'proposer', title: 'Proposer', number: true, wideOnly: true, cell: ({ block }) => block.proposer },
  { key: 'transactions', title: 'Transactions', number: true, cell: ({ transactionCount }) => count(transactionCount) },
  {
    key: 'final',
    title: 'Final after',
    number: true,
    wideOnly: true,
    cell: ({ times }) =>
      duration(
        times?.proposedMs === undefined || times.finalizedMs === undefined
          ? null
          : Math.max(0, times.finalizedMs - times.proposedMs),
      ),
  },
  {
    key: 'status',
    title: 'Status',
    wideOnly: true,
    cell: ({ status }) => <Badge tone={status === 'final' ? 'good' : 'info'}>{status}</Badge>,
  },
];

export function BlocksPage() {
  const paging = usePaging();
  const { cursor } = paging;
  const { answer, again } = useQuery<Page>(`blocks ${cursor}`, (signal) =>
    client.blocks({ signal, limit: LIMIT, ...(cursor !== undefined && { cursor }) }),
  );
  return (
    <Panel
      title="Blocks"
      note={answer.type === 'done' && paging.first ? <NewerBlocks page={answer.value} onLoad={again} /> : null}
      flush
    >
      {answer.type === 'loading' ? <Loading what="blocks" /> : null}
      {answer.type === 'failed' ? <Failure title="No answer" detail={answer.reason} onRetry={again} /> : null}
      {answer.type === 'done' ? <BlockList page={answer.value} paging={paging} /> : null}
    </Panel>
  );
}

function BlockList({ page, paging }: { readonly page: Page; readonly paging: Paging }) {
  if (page.items.length === 0 && page.malformed.length === 0)
    return <Empty title="No block yet">The chain has no final block yet.</Empty>;
  return (
    <>
      {page.malformed.length === 0 ? <ListVerdict blocks={page.items} /> : null}
      <Table caption="Blocks" columns={COLUMNS} rows={page.items} rowKey={({ block }) => block.id} />
      <LeftOut malformed={page.malformed} />
      <Pager paging={paging} next={page.next} />
    </>
  );
}

/** One certificate covers them all: each names the one before as its parent. */
function ListVerdict({ blocks }: { readonly blocks: readonly BlockView[] }) {
  const ids = blocks.map(({ block }) => block.id);
  const proof = useProof(`blocks ${ids.at(-1)} to ${ids[0]}`, { kind: 'blocks', shown: blocks.toReversed() });
  return (
    <div className="panel-lead">
      <VerdictLine what={counted(blocks.length, 'header')} verification={proof.verification} />
    </div>
  );
}

function NewerBlocks({ page, onLoad }: { readonly page: Page; readonly onLoad: () => void }) {
  const height = useStream(({ status }) => status?.height ?? 0);
  const newer = height - (page.items[0]?.block.height ?? height);
  return (
    <Button disabled={newer <= 0} onClick={onLoad}>
      {newer > 0 ? `${count(newer)} newer` : 'Up to date'}
    </Button>
  );
}
