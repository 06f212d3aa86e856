/** The applications of the chain, and a page of each. */
import './applications.css';
import { counted } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { useQuery } from '../../node/use-ask.ts';
import type { ViewProps } from '../../shell/later.tsx';
import { href } from '../../shell/router.ts';
import { useStream } from '../../stream/use-stream.ts';
import { ApplicationPage } from './application-page.tsx';
import { ArtifactPanel } from './artifact-panel.tsx';
import { askApplications, type InstalledApplication } from './manifest.ts';
import { QuarantinePanel } from './quarantine-panel.tsx';

export function ApplicationsView({ rest: [name] }: ViewProps) {
  // An upgrade begins with an epoch.
  const version = useStream(({ committee }) => committee?.epoch ?? 0);
  const { answer, again } = useQuery('applications', askApplications, { version });
  if (answer.type === 'loading') return <Loading what="applications" />;
  if (answer.type === 'failed') return <Failure title="No answer" detail={answer.reason} onRetry={again} />;
  if (name === undefined) return <ApplicationList applications={answer.value} />;
  const application = answer.value.find((each) => each.name === name);
  if (application !== undefined) return <ApplicationPage key={name} application={application} />;
  return (
    <Empty title={`This chain runs no application “${name}”`}>
      <a href={href('applications')}>All applications</a>
    </Empty>
  );
}

const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name).join(', ') || 'none';

const COLUMNS: readonly Column<InstalledApplication>[] = [
  { key: 'name', title: 'Name', cell: ({ name }) => <a href={href('applications', name)}>{name}</a> },
  { key: 'version', title: 'Version', number: true, cell: ({ manifest }) => manifest.version },
  { key: 'hash', title: 'Artifact', cell: ({ hash }) => <Hex value={hash} what="artifact hash" /> },
  { key: 'actions', title: 'Actions', wideOnly: true, cell: ({ manifest }) => names(manifest.actions) },
  { key: 'tables', title: 'Tables', wideOnly: true, cell: ({ manifest }) => names(manifest.tables) },
  { key: 'events', title: 'Events', wideOnly: true, cell: ({ manifest }) => names(manifest.events) },
  { key: 'queries', title: 'Queries', wideOnly: true, cell: ({ manifest }) => names(manifest.queries) },
];

function ApplicationList({ applications }: { readonly applications: readonly InstalledApplication[] }) {
  return (
    <div className="view">
      <h1>Applications</h1>
      <Panel title="Of this chain" note={counted(applications.length, 'application')} flush>
        {applications.length === 0 ? (
          <Empty title="This chain runs no applications">
            The genesis file names those that it runs. Create one with slipstream init --application.
          </Empty>
        ) : (
          <Table caption="Applications" columns={COLUMNS} rows={applications} rowKey={({ name }) => name} />
        )}
      </Panel>
      <ArtifactPanel />
      <QuarantinePanel />
    </div>
  );
}
