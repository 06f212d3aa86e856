import type { DisseminationStats } from '@slipstream/schema';
import { useMemo } from 'react';
import { Badge } from '../../design/badge.tsx';
import { bytes, count, counted, duration } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { useStream } from '../../stream/use-stream.ts';
import { type ProducerRow, producerRows } from './producers.ts';

export function ChunkSums({ stats: { chunks, producer } }: { readonly stats: DisseminationStats }) {
  return (
    <Panel title="Chunks" note="since this node started">
      <div className="stack">
        <Sum
          whole={chunks.stored}
          name="stored here"
          parts={[
            ['on the chain', chunks.committed, 'used'],
            ['expired unused', chunks.expired, 'lost'],
            ['pending', chunks.pending, 'open'],
          ]}
        />
        {producer === null ? (
          <p className="small soft">This node is not a validator and produces no chunks.</p>
        ) : (
          <Sum
            whole={producer.produced}
            name="produced here"
            parts={[
              ['certified', producer.certified, 'used'],
              ['needed no certificate', producer.unneeded, 'settled'],
              ['without certificate or commit', producer.uncertified, 'open'],
            ]}
          />
        )}
        <p className="small soft">
          {bytes(chunks.pendingBytes)} pending.{' '}
          {chunks.wanted === 0 ? 'No chunk is missing.' : `${count(chunks.wanted)} missing and requested.`}
        </p>
      </div>
    </Panel>
  );
}

interface SumProps {
  readonly whole: number;
  readonly name: string;
  readonly parts: readonly (readonly [name: string, count: number, end: 'used' | 'settled' | 'lost' | 'open'])[];
}

function Sum({ whole, name, parts }: SumProps) {
  const balanced = parts.reduce((sum, [, part]) => sum + part, 0) === whole;
  return (
    <div className="sum">
      <div className="sum-bar" aria-hidden="true">
        {parts.map(([part, some, end]) => (
          <span key={part} data-end={end} style={{ flexGrow: some }} />
        ))}
      </div>
      <div className="sum-terms">
        <span className="sum-term">
          <b>{count(whole)}</b> {name}
        </span>
        {parts.map(([part, some], i) => (
          <span key={part} className="sum-term">
            {i === 0 ? '= ' : '+ '}
            <b>{count(some)}</b> {part}
          </span>
        ))}
        {balanced ? null : <Badge tone="bad">does not add up</Badge>}
      </div>
    </div>
  );
}

const HEAD: readonly Column<ProducerRow>[] = [
  { key: 'producer', title: 'Producer', cell: ({ producer }) => `Validator ${producer}` },
  { key: 'chunks', title: 'Chunks', number: true, cell: ({ chunks }) => count(chunks) },
  { key: 'transactions', title: 'Transactions', number: true, cell: ({ transactions }) => count(transactions) },
];
const ROWS: Column<ProducerRow> = {
  key: 'rows',
  title: 'Rows',
  number: true,
  cell: ({ rows }) => count(rows),
};
const TAIL: readonly Column<ProducerRow>[] = [
  {
    key: 'each',
    title: 'Per chunk',
    number: true,
    wideOnly: true,
    cell: ({ chunks, transactions, rows }) => ((transactions + rows) / chunks).toFixed(1),
  },
  { key: 'median', title: 'Certified in', number: true, cell: ({ medianMs }) => duration(medianMs) },
  { key: 'slowest', title: 'Slowest', number: true, wideOnly: true, cell: ({ slowestMs }) => duration(slowestMs) },
];
const COLUMNS: readonly Column<ProducerRow>[] = [...HEAD, ...TAIL];
/** Where producers pack distilled batches. */
const COLUMNS_WITH_ROWS: readonly Column<ProducerRow>[] = [...HEAD, ROWS, ...TAIL];

export function Producers() {
  const chunks = useStream((snapshot) => snapshot.chunks);
  const producers = useMemo(() => producerRows(chunks), [chunks]);
  return (
    <Panel title="By producer" note={`last ${counted(chunks.length, 'certificate')} checked here`} flush>
      {producers.length === 0 ? (
        <Empty title="No chunk certified yet">
          A validator packs transactions of its mempool into a chunk, and a quorum certifies that it stored it. Send a
          transfer to see one.
        </Empty>
      ) : (
        <Table
          caption="Certified chunks by producer"
          columns={producers.some(({ rows }) => rows > 0) ? COLUMNS_WITH_ROWS : COLUMNS}
          rows={producers}
          rowKey={({ producer }) => producer}
        />
      )}
    </Panel>
  );
}
