import type { Json } from '@slipstream/app/program';
import { useEffect, useState } from 'react';
import { count } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { client } from '../../node/client.ts';
import { href } from '../../shell/router.ts';
import { JsonValue } from './json-value.tsx';
import type { InstalledApplication } from './manifest.ts';
import { createEventReads, EVENTS_MAX, type SeenEvent } from './recent-events.ts';

export const EVENT_COLUMNS: readonly Column<SeenEvent>[] = [
  { key: 'name', title: 'Event', cell: ({ event }) => event.name ?? `number ${event.event}` },
  {
    key: 'body',
    title: 'Body',
    cell: ({ event }) => <JsonValue value={(event.fields as Json | undefined) ?? event.body} />,
  },
  {
    key: 'height',
    title: 'Height',
    number: true,
    wideOnly: true,
    cell: ({ height }) => <a href={href('explorer', 'block', height)}>{count(height)}</a>,
  },
  {
    key: 'id',
    title: 'Transaction',
    wideOnly: true,
    cell: ({ id }) => <Hex value={id} href={href('explorer', 'transaction', id)} what="transaction id" />,
  },
];

export function EventPanel({ application: { name } }: { readonly application: InstalledApplication }) {
  const events = useEvents(name);
  return (
    <Panel title="Recent events" note="since this page was opened, and of 64 blocks before, as this node says" flush>
      {events.length === 0 ? (
        <Empty title="No events yet">Events of calls appear here when their block is committed.</Empty>
      ) : (
        <Table caption="Recent events" columns={EVENT_COLUMNS} rows={events} rowKey={({ key }) => key} />
      )}
    </Panel>
  );
}

const ASK_EVERY_MS = 2_000;

function useEvents(application: string): readonly SeenEvent[] {
  const [events, setEvents] = useState<readonly SeenEvent[]>([]);

  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const reads = createEventReads(client, application);
    let timer: ReturnType<typeof setTimeout>;
    const round = async () => {
      try {
        const read = await reads.read(signal);
        if (signal.aborted) return;
        if (read.length > 0) setEvents((before) => [...read, ...before].slice(0, EVENTS_MAX));
      } catch {
        // The banner says that the node is gone; the next round asks for the same blocks.
      }
      if (!signal.aborted) timer = setTimeout(round, ASK_EVERY_MS);
    };
    void round();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [application]);
  return events;
}
