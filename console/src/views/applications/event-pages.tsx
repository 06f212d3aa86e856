/** All events of an application, page by page, as the ledger of this node has them. */
import type { EventPageJson } from '@slipstream/schema';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { count } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { Pager } from '../explorer/pager.tsx';
import { usePaging } from '../explorer/pages.ts';
import { EVENT_COLUMNS } from './event-panel.tsx';
import type { InstalledApplication } from './manifest.ts';
import { seen } from './recent-events.ts';

const ALL = 'all events';

export function EventPages({ application: { name, manifest } }: { readonly application: InstalledApplication }) {
  const [event, setEvent] = useState(ALL);
  return (
    <Panel title="All events" note="oldest first, as this node says">
      <div className="stack">
        <SelectField
          label="Event"
          value={event}
          options={[ALL, ...manifest.events.map((each) => each.name)]}
          onChange={setEvent}
        />
        <Pages key={event} application={name} event={event === ALL ? undefined : event} />
      </div>
    </Panel>
  );
}

interface PagesProps {
  readonly application: string;
  readonly event: string | undefined;
}

function Pages({ application, event }: PagesProps) {
  const paging = usePaging();
  const { cursor } = paging;
  const query = { name: event, after: cursor };
  const { answer, again } = useQuery<EventPageJson>(`events of ${application} ${event} ${cursor}`, (signal) =>
    client.call('applicationEvents', { params: { application }, query, signal }),
  );
  if (answer.type === 'loading') return <Loading what="events" />;
  if (answer.type === 'failed') return <Failure title="No answer" detail={answer.reason} onRetry={again} />;
  const { items, next, more, height } = answer.value;
  return (
    <div className="stack">
      {items.length === 0 ? (
        <Empty title="No events here">Up to height {count(height)}, as far as this node retains blocks.</Empty>
      ) : (
        <Table
          caption={`Events of ${application}`}
          columns={EVENT_COLUMNS}
          rows={items.map(seen)}
          rowKey={({ key }) => key}
        />
      )}
      <Pager paging={paging} next={more ? next : null} words={['Older', 'Newer']} />
      {more ? null : (
        <div>
          <Button kind="quiet" onClick={again}>
            Look for newer ones
          </Button>
        </div>
      )}
    </div>
  );
}
