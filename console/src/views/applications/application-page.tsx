/** One application: what it is, calls of its actions, entries of its tables, its queries and its newest events. */
import { Facts } from '../../design/facts.tsx';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { href } from '../../shell/router.ts';
import { ActionPanel } from './action-panel.tsx';
import { EventPanel } from './event-panel.tsx';
import type { InstalledApplication } from './manifest.ts';
import { QueryPanel } from './query-panel.tsx';
import { TablePanel } from './table-panel.tsx';

export function ApplicationPage({ application }: { readonly application: InstalledApplication }) {
  const { name, number, hash, manifest } = application;
  return (
    <div className="view">
      <div className="view-head">
        <h1>{name}</h1>
        <a href={href('applications')}>All applications</a>
      </div>
      <Panel title="Application" note="as this node says">
        <Facts
          facts={[
            ['Version', String(manifest.version)],
            ['Number in genesis', String(number)],
            ['Artifact', <Hex key="hash" value={hash} what="artifact hash" whole />],
            ['Invariants', manifest.invariants.join(', ') || 'none'],
          ]}
        />
      </Panel>
      <div className="columns">
        <div className="stack">
          {manifest.actions.length === 0 ? <None what="actions" /> : <ActionPanel application={application} />}
        </div>
        <div className="stack">
          {manifest.tables.length === 0 ? <None what="tables" /> : <TablePanel application={application} />}
          {manifest.queries.length === 0 ? <None what="queries" /> : <QueryPanel application={application} />}
        </div>
      </div>
      <EventPanel application={application} />
    </div>
  );
}

function None({ what }: { readonly what: string }) {
  return (
    <Panel title={`No ${what}`}>
      <Empty title={`This application has no ${what}`} />
    </Panel>
  );
}
